package vips

import (
	"regexp"
	"strconv"
	"strings"
)

// exifType matches what libvips writes after the value of a tag: its type and size.
var exifType = regexp.MustCompile(`, [A-Za-z]+, \d+ components?, \d+ bytes?\)$`)

// exifOf returns the picture's EXIF tags by name: text, or a whole number where the value is one.
// Tags of the embedded thumbnail and the maker's private notes are left out.
func exifOf(i *image) map[string]any {
	tags := map[string]any{}
	for _, field := range i.fields() {
		rest, ok := strings.CutPrefix(field, "exif-ifd")
		if !ok || strings.HasPrefix(rest, "1-") || strings.HasSuffix(rest, "-MakerNote") {
			continue
		}
		_, name, ok := strings.Cut(rest, "-")
		if !ok {
			continue
		}
		tags[name] = exifValue(i.text(field))
	}
	return tags
}

// exifValue reads libvips' description of a tag: "value (value in words, type, size)".
func exifValue(text string) any {
	end := exifType.FindStringIndex(text)
	if end != nil {
		text = text[:end[0]]
		half := (len(text) - 2) / 2
		if half >= 0 && len(text) == 2*half+2 && text[:half] == text[half+2:] {
			text = text[:half] // text may hold parentheses of its own; it appears twice
		} else {
			text, _, _ = strings.Cut(text, " (")
		}
	}
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return n
	}
	return text
}
