package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// span is a part of an answer's bytes.
type span struct{ offset, length int64 }

// contentRange is the span as Content-Range has it.
func (r span) contentRange(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", r.offset, r.offset+r.length-1, size)
}

// maxSpans is how many parts one answer may have. Who asks for more gets the whole: so many small
// parts are an attack, not a player or a reader.
const maxSpans = 16

// parseRanges reads a Range header as RFC 9110, section 14.1.2 has it. ok is false for one that is to be
// ignored: another unit, malformed, too many parts, or parts that together are more than the whole. A
// list without any span is not satisfiable.
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
	list = coalesce(list)
	var sum int64
	for _, r := range list {
		sum += r.length
	}
	return list, sum <= size
}

// parseRange reads `a-b`, `a-` or `-n`; the length is 0 when it lies outside.
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

// position reads digits and nothing else; what is larger than a number holds is as good as the largest.
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

// coalesce joins spans that overlap or touch, when they come in order; others stay as they were asked for.
func coalesce(list []span) []span {
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

// ranges returns what part of size bytes the request is for. all is true when it is for the whole: no
// Range, another method than GET, or an If-Range that the answer does not fulfil.
func ranges(c *fiber.Ctx, v validators, size int64) (list []span, all bool) {
	header := c.Get(fiber.HeaderRange)
	if header == "" || c.Method() != fiber.MethodGet || !fulfilsIfRange(c, v) {
		return nil, true
	}
	list, ok := parseRanges(header, size)
	return list, !ok
}

// settled is how old a date must be to stand for the bytes: until then they may have changed again
// within the same second.
const settled = 2 * time.Second

// fulfilsIfRange compares strongly. A date is strong for originals only: what is rendered of them changes
// with the engine too.
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
