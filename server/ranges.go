package server

import (
	"fmt"
	"slices"
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

// maxSpans is the max number of ranges in one response. Players and PDF readers need few, and many small ranges are an
// attack, so a request for more gets the whole content.
const maxSpans = 16

// parseRanges parses a Range header as defined by RFC 9110, section 14.1.2. ok is false if the header must be ignored
// because it has another unit, is malformed, has too many ranges, or has ranges that add up to more than the content.
// An empty list means that no range is satisfiable.
func parseRanges(header string, size int64) (list []span, ok bool) {
	unit, set, found := strings.Cut(header, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || size == 0 {
		return nil, false
	}
	some := false
	for one := range strings.SplitSeq(set, ",") {
		if one = strings.Trim(one, " \t"); one == "" {
			continue
		}
		some = true
		r, ok := parseRange(one, size)
		if !ok {
			return nil, false
		}
		if r.length > 0 {
			list = append(list, r)
		}
	}
	if !some || len(list) > maxSpans {
		return nil, false
	}
	list = mergeSpans(list)
	var sum int64
	for _, r := range list {
		sum += r.length
	}
	return list, sum <= size
}

// parseRange parses `a-b`, `a-` or `-n`; the length is 0 if the range is outside of the content.
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

// position parses digits and nothing else. A value that overflows becomes the largest one.
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

// mergeSpans merges spans that overlap or touch if all are in ascending order, else returns them unchanged.
func mergeSpans(list []span) []span {
	inOrder := slices.IsSortedFunc(list, func(a, b span) int { return int(max(-1, min(1, a.offset-b.offset))) })
	if !inOrder || len(list) < 2 {
		return list
	}
	joined := list[:1]
	for _, r := range list[1:] {
		if last := &joined[len(joined)-1]; r.offset <= last.offset+last.length {
			last.length = max(last.length, r.offset+r.length-last.offset)
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// ranges returns the requested ranges of a content of size bytes. all is true if the request gets the whole content: it
// has no Range, another method than GET, or an If-Range that does not match.
func ranges(c *fiber.Ctx, v validators, size int64) (list []span, all bool) {
	header := c.Get(fiber.HeaderRange)
	if header == "" || c.Method() != fiber.MethodGet || !fulfilsIfRange(c, v) {
		return nil, true
	}
	list, ok := parseRanges(header, size)
	return list, !ok
}

// settled is how old a date must be to identify the bytes: a younger file may change again within the same second.
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
