package vips

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// maxName is how many bytes of a profile's name are returned.
const maxName = 256

// profileName returns the name in an ICC profile's desc tag; empty if there is no profile or it has no name.
// ICC.1:2001-04, 6.5.17 (version 2) and ICC.1:2022, 10.15 (version 4).
func profileName(profile []byte) string {
	if len(profile) < 132 {
		return ""
	}
	tag := iccTag(profile, "desc")
	if len(tag) < 12 {
		return ""
	}
	text := ""
	switch string(tag[:4]) {
	case "desc":
		size := min(int64(binary.BigEndian.Uint32(tag[8:])), int64(len(tag)-12), maxName)
		ascii, _, _ := bytes.Cut(tag[12:12+size], []byte{0})
		text = legible(ascii)
	case "mluc":
		text = localised(tag)
	}
	return cut(text, maxName)
}

// localised returns the English text of a multiLocalizedUnicode tag, else its first.
func localised(tag []byte) string {
	if len(tag) < 28 {
		return ""
	}
	records, step := int64(binary.BigEndian.Uint32(tag[8:])), int64(binary.BigEndian.Uint32(tag[12:]))
	if step < 12 {
		return ""
	}
	first := ""
	for n := range min(records, 100) {
		at := 16 + n*step
		if at+12 > int64(len(tag)) {
			break
		}
		text := utf16Text(tag, tag[at+4:])
		if string(tag[at:at+2]) == "en" && text != "" {
			return text
		}
		if first == "" {
			first = text
		}
	}
	return first
}

// utf16Text returns the big-endian UTF-16 of a tag that lies where place, length and offset in
// bytes, says; empty when that is not inside the tag.
func utf16Text(tag, place []byte) string {
	size, offset := int64(binary.BigEndian.Uint32(place)), int64(binary.BigEndian.Uint32(place[4:]))
	if offset+size > int64(len(tag)) {
		return ""
	}
	units := make([]uint16, min(size/2, maxName))
	for k := range units {
		units[k] = binary.BigEndian.Uint16(tag[offset+2*int64(k):])
	}
	return legible([]byte(string(utf16.Decode(units))))
}
