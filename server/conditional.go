package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/fault"
)

// validators are what clients and caches send back to revalidate a response.
type validators struct {
	tag      string    // strong, with its quotes
	modified time.Time // date of the newest source; zero if the date of any source is unknown
	original bool      // the response is the unprocessed source, so its date identifies the bytes
}

// field returns all lines of a request header, joined by commas.
func field(c *fiber.Ctx, name string) string { return joined(&c.Request().Header, name) }

func joined(h *fasthttp.RequestHeader, name string) string {
	lines := h.PeekAll(name)
	if len(lines) == 1 {
		return string(lines[0])
	}
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = string(l)
	}
	return strings.Join(parts, ", ")
}

// precondition evaluates the conditional headers in the order of RFC 9110, section 13.2.2. done is true if it has
// answered the request.
func (s *Server) precondition(c *fiber.Ctx, v validators) (done bool, err error) {
	if list := field(c, fiber.HeaderIfMatch); list != "" {
		if !matchesStrongly(list, v.tag) {
			return true, fault.New(fault.PreconditionFailed,
				"If-Match does not match the current version of the picture")
		}
	} else if at, ok := dateOf(c, fiber.HeaderIfUnmodifiedSince); ok && !v.modified.IsZero() && v.modified.After(at) {
		return true, fault.New(fault.PreconditionFailed,
			"the picture was modified after the date of If-Unmodified-Since")
	}
	if list := field(c, fiber.HeaderIfNoneMatch); list != "" {
		if matches(list, v.tag) {
			notModified(c)
			return true, nil
		}
		return false, nil
	}
	if at, ok := dateOf(c, fiber.HeaderIfModifiedSince); ok && !v.modified.IsZero() && !v.modified.After(at) {
		notModified(c)
		return true, nil
	}
	return false, nil
}

// notModified answers 304. The caller has set the headers that RFC 9110, section 15.4.5 requires: ETag, Cache-Control,
// Vary. Last-Modified is omitted because the ETag is stronger.
func notModified(c *fiber.Ctx) {
	c.Response().Header.Del(fiber.HeaderLastModified)
	c.Status(fiber.StatusNotModified)
}

func dateOf(c *fiber.Ctx, name string) (time.Time, bool) {
	at, err := http.ParseTime(c.Get(name))
	return at, err == nil
}

// matches reports whether an If-None-Match header contains the tag. RFC 9110 requires the weak comparison.
func matches(header, tag string) bool {
	return anyTag(header, func(weak bool, one string) bool { return one == tag })
}

// matchesStrongly reports whether an If-Match header contains the tag.
func matchesStrongly(header, tag string) bool {
	return anyTag(header, func(weak bool, one string) bool { return !weak && one == tag })
}

// anyTag reports whether the header is `*` or fits accepts one of its tags. It stops at a malformed tag.
func anyTag(header string, fits func(weak bool, tag string) bool) bool {
	if strings.TrimSpace(header) == "*" {
		return true
	}
	for header != "" {
		header = strings.TrimLeft(header, " \t,")
		one, weak := strings.CutPrefix(header, "W/")
		if !strings.HasPrefix(one, `"`) {
			return false
		}
		end := strings.IndexByte(one[1:], '"')
		if end < 0 {
			return false
		}
		if fits(weak, one[:end+2]) {
			return true
		}
		header = one[end+2:]
	}
	return false
}

// set sets ETag and Last-Modified. A date in the future is replaced with the current time.
func (v validators) set(c *fiber.Ctx) {
	c.Set(fiber.HeaderETag, v.tag)
	if v.modified.IsZero() {
		return
	}
	at := v.modified
	if now := time.Now(); at.After(now) {
		at = now
	}
	c.Set(fiber.HeaderLastModified, at.UTC().Format(http.TimeFormat))
}
