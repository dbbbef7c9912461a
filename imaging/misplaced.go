package imaging

import (
	"fmt"
	"path"
	"strings"
)

// Misplaced explains an image path that starts with what looks like an operation, or has one after the name of a
// picture; empty otherwise. Call it only for an image that does not exist, because a folder can have such a name, too.
func Misplaced(image string) string {
	if IsRemote(image) || IsCanvas(image) {
		return ""
	}
	switch first, _, _ := strings.Cut(image, "/"); first {
	case "unsafe":
		return "unsafe replaces the signature: a signed path does not contain it"
	case "params":
		return "params is the first part of a URL, before the signature"
	}
	if _, _, ok := cutFilters(image); !ok && strings.HasPrefix(image, "filters:") {
		return "The filters are malformed, expected filters:NAME(ARGUMENTS):NAME(ARGUMENTS)"
	}
	suspect := true // true for the first segment, and for all segments after the name of a picture
	for segment := range strings.SplitSeq(image, "/") {
		name, _, _ := strings.Cut(segment, "(")
		switch {
		case suspect && specOf(name) != nil:
			return fmt.Sprintf("%s is a filter: write filters:%s before the image", name, calledFilter(segment))
		case suspect && segment != "" && isGrammar(segment):
			return fmt.Sprintf("%s is an operation: operations come before the image, in the order "+
				"trim, crop, fit-in, size, padding, alignment, smart, filters", segment)
		}
		_, suspect = ParseFormat(strings.TrimPrefix(path.Ext(segment), "."))
	}
	return ""
}

// calledFilter returns a segment rewritten as a call of a filter.
func calledFilter(segment string) string {
	if strings.HasSuffix(segment, ")") {
		return segment
	}
	return segment + "(...)"
}

// EncodeUnsafe returns a path with the characters percent-encoded that browsers and other clients encode before they
// send it. A signature covers the path as it is sent. A path that is already encoded does not change.
func EncodeUnsafe(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		isEscape := c == '%' && i+2 < len(path) && isHexDigit(path[i+1]) && isHexDigit(path[i+2])
		if c > ' ' && c < 0x7f && strings.IndexByte("\"#<>?\\^`{|}%", c) < 0 || isEscape {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
