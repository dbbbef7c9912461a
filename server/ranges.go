package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// span is a range of the bytes of a response.
type span struct{ offset, length int64 }

// contentRange returns the span in the syntax of Content-Range.
func (r span) contentRange(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", r.offset, r.offset+r.length-1, size)
}

// parseRange parses `a-b`, `a-` or `-n`. The length is 0 if the range lies outside the content.
func parseRange(s string, size int64) (r span, ok bool) {
	first, last, found := strings.Cut(s, "-")
	if !found {
		return r, false
	}
	if first == "" {
		n, ok := position(last)
		n = min(n, size)
		return span{size - n, n}, ok
	}
	from, ok := position(first)
	if !ok {
		return r, false
	}
	to := size - 1
	if last != "" {
		if to, ok = position(last); !ok || to < from {
			return r, false
		}
		to = min(to, size-1)
	}
	return span{from, max(0, to-from+1)}, true
}

// position parses a number of digits only. A value that overflows becomes the largest int64.
func position(s string) (int64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 1<<62 - 1, true
	}
	return n, true
}

// requestedRange returns the requested range of a content of size bytes; a length of 0 means that the content does not
// have it. ok is false if the response is the whole content: the method is not GET, there is no Range, If-Range does
// not match, or the Range is malformed, has another unit or asks for several ranges. RFC 9110, section 14.2 lets a
// server ignore what it does not want to serve, and browsers, players and PDF readers ask for one range at a time.
func requestedRange(c *fiber.Ctx, v validators, size int64) (r span, ok bool) {
	unit, one, found := strings.Cut(c.Get(fiber.HeaderRange), "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || size == 0 ||
		c.Method() != fiber.MethodGet || !fulfilsIfRange(c, v) {
		return r, false
	}
	return parseRange(strings.Trim(one, " \t"), size)
}

// settled is how old a date must be to identify the bytes. A younger file may change again within the same second.
const settled = 2 * time.Second

// fulfilsIfRange reports whether If-Range is missing or matches by the strong comparison. A date can match only for
// originals, because rendered bytes also change with the engine.
func fulfilsIfRange(c *fiber.Ctx, v validators) bool {
	condition := strings.TrimSpace(c.Get(fiber.HeaderIfRange))
	if condition == "" {
		return true
	}
	if at, ok := dateOf(c, fiber.HeaderIfRange); ok {
		return v.original && v.modified.Equal(at) && time.Since(v.modified) > settled
	}
	return condition == v.tag
}
