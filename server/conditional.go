package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
)

// validators are what clients and caches compare an answer by before they ask for it again.
type validators struct {
	tag      string    // strong, with its quotes
	modified time.Time // of the newest source; zero when one of them has no date
	original bool      // the date is that of the very bytes, which no engine rendered
}

// field returns all lines of a request header as one list.
func field(c *fiber.Ctx, name string) string {
	lines := c.Request().Header.PeekAll(name)
	if len(lines) == 1 {
		return string(lines[0])
	}
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = string(l)
	}
	return strings.Join(parts, ", ")
}

// precondition answers where the request's conditions decide, in the order of RFC 9110, section
// 13.2.2. When done is false, nothing was answered.
func (s *Server) precondition(c *fiber.Ctx, v validators) (done bool, err error) {
	if list := field(c, fiber.HeaderIfMatch); list != "" {
		if !matchesStrongly(list, v.tag) {
			return true, s.fail(c, fault.New(fault.PreconditionFailed, "If-Match names none of this picture's versions"))
		}
	} else if at, ok := dateOf(c, fiber.HeaderIfUnmodifiedSince); ok && !v.modified.IsZero() && v.modified.After(at) {
		return true, s.fail(c, fault.New(fault.PreconditionFailed, "the picture was modified since"))
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

// notModified answers 304 with what RFC 9110, section 15.4.5 asks for and was set already: ETag,
// Cache-Control, Vary. The date is left out beside the stronger tag.
func notModified(c *fiber.Ctx) {
	c.Response().Header.Del(fiber.HeaderLastModified)
	c.Status(fiber.StatusNotModified)
}

func dateOf(c *fiber.Ctx, name string) (time.Time, bool) {
	at, err := http.ParseTime(c.Get(name))
	return at, err == nil
}

// matches reports whether an If-None-Match names the tag; weak comparison, as RFC 9110 has it there.
func matches(header, tag string) bool {
	return anyTag(header, func(weak bool, one string) bool { return one == tag })
}

// matchesStrongly reports whether an If-Match names the tag.
func matchesStrongly(header, tag string) bool {
	return anyTag(header, func(weak bool, one string) bool { return !weak && one == tag })
}

// anyTag reports whether the header is `*`, or fits one of the tags it lists. What follows a tag that
// is malformed is not read.
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

// set writes the validators into the answer. A date to come would be nobody's, so it is today's.
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
