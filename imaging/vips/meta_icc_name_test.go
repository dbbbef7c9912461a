package vips

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// profileWith is an ICC profile of a version 2 RGB display with these tags.
func profileWith(tags map[string]string) []byte {
	head := make([]byte, 128)
	copy(head[8:], "\x02\x10\x00\x00mntrRGB XYZ ")
	copy(head[36:], "acsp")
	copy(head[68:], "\x00\x00\xF6\xD6\x00\x01\x00\x00\x00\x00\xD3\x2D")
	head = binary.BigEndian.AppendUint32(head, uint32(len(tags)))
	at, body := len(head)+12*len(tags), ""
	for name, data := range tags {
		head = append(head, name...)
		head = binary.BigEndian.AppendUint32(head, uint32(at+len(body)))
		head = binary.BigEndian.AppendUint32(head, uint32(len(data)))
		body += data + strings.Repeat("\x00", (4-len(data)%4)%4)
	}
	profile := append(head, body...)
	binary.BigEndian.PutUint32(profile, uint32(len(profile)))
	return profile
}

// description is a version 2 desc tag.
func description(text string) string {
	size := binary.BigEndian.AppendUint32(nil, uint32(len(text)+1))
	return "desc\x00\x00\x00\x00" + string(size) + text + "\x00" + strings.Repeat("\x00", 78)
}

// multiLocalised is a version 4 desc tag of pairs of a language with its country, and a text.
func multiLocalised(pairs ...string) string {
	tag := binary.BigEndian.AppendUint32([]byte("mluc\x00\x00\x00\x00"), uint32(len(pairs)/2))
	tag = binary.BigEndian.AppendUint32(tag, 12)
	at, body := 16+6*len(pairs), []byte(nil)
	for n := 0; n < len(pairs); n += 2 {
		units := utf16.Encode([]rune(pairs[n+1]))
		tag = append(tag, pairs[n]...)
		tag = binary.BigEndian.AppendUint32(tag, uint32(2*len(units)))
		tag = binary.BigEndian.AppendUint32(tag, uint32(at+len(body)))
		for _, u := range units {
			body = binary.BigEndian.AppendUint16(body, u)
		}
	}
	return string(tag) + string(body)
}

func TestProfileName(t *testing.T) {
	over := description("short")
	for name, c := range map[string]struct{ tag, want string }{
		"version 2":          {description("sRGB IEC61966-2.1"), "sRGB IEC61966-2.1"},
		"Latin-1":            {description("Caf\xE9"), "Café"},
		"too long":           {description(strings.Repeat("x", 1000)), strings.Repeat("x", maxName)},
		"count past the end": {over[:8] + "\xFF\xFF\xFF\xFF" + over[12:], "short"},
		"version 4":          {multiLocalised("enUS", "Display P3"), "Display P3"},
		"English first":      {multiLocalised("deDE", "Bildschirm", "frFR", "Écran", "enGB", "Display"), "Display"},
		"no English":         {multiLocalised("jaJP", "ディスプレイ", "deDE", "Bildschirm"), "ディスプレイ"},
		"beyond 16 bits":     {multiLocalised("enUS", "P3 🖼"), "P3 🖼"},
		"cut at a character": {multiLocalised("enUS", strings.Repeat("é", 255)), strings.Repeat("é", maxName/2)},
		"text past the end":  {multiLocalised("enUS", "Display")[:30], ""},
		"records past end": {
			"mluc\x00\x00\x00\x00\xFF\xFF\xFF\xFF\x00\x00\x00\x0CenUS\x00\x00\x00\x00\x00\x00\x00\x00", ""},
		"a step of nothing": {
			"mluc\x00\x00\x00\x00\xFF\xFF\xFF\xFF\x00\x00\x00\x00enUS\x00\x00\x00\x00\x00\x00\x00\x00", ""},
		"another type":        {"text\x00\x00\x00\x00sRGB\x00", ""},
		"shorter than a head": {"desc", ""},
	} {
		if got := profileName(profileWith(map[string]string{"desc": c.tag, "cprt": "text"})); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, short := range []int{0, 100, 131, 132, 140} {
		if got := profileName(profileWith(map[string]string{"desc": over})[:short]); got != "" {
			t.Errorf("%d bytes: %q", short, got)
		}
	}
}

func FuzzProfileName(f *testing.F) {
	f.Add(profileWith(map[string]string{"desc": description("sRGB")}))
	f.Add(profileWith(map[string]string{"desc": multiLocalised("deDE", "Bildschirm", "enGB", "Display")}))
	f.Fuzz(func(t *testing.T, profile []byte) {
		if name := profileName(profile); !utf8.ValidString(name) || len(name) > maxName {
			t.Errorf("%q", name)
		}
		plainSRGB(profile)
	})
}
