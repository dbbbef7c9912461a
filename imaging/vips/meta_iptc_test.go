package vips

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// iim is one dataset.
func iim(record, number byte, text string) string {
	size := binary.BigEndian.AppendUint16(nil, uint16(len(text)))
	return string([]byte{0x1C, record, number}) + string(size) + text
}

// resource is one of Photoshop's image resources; its name is padded, its bytes are where they are odd.
func resource(number uint16, name, data string) string {
	b := binary.BigEndian.AppendUint16([]byte("8BIM"), number)
	b = append(append(b, byte(len(name))), name...)
	if len(name)%2 == 0 {
		b = append(b, 0)
	}
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(data))), data...)
	if len(data)%2 == 1 {
		b = append(b, 0)
	}
	return string(b)
}

func TestIPTC(t *testing.T) {
	city := iim(2, 90, "Oslo")
	long := string([]byte{0x1C, 2, 120, 0x80, 4, 0, 0, 0, 3}) + "abc"
	for name, c := range map[string]struct {
		data string
		want map[string]any
	}{
		"nothing":          {"", nil},
		"text":             {"hello, world", nil},
		"bare":             {city, map[string]any{"city": "Oslo"}},
		"wrapped":          {"Photoshop 3.0\x00" + resource(0x0404, "", city), map[string]any{"city": "Oslo"}},
		"without a prefix": {resource(0x0404, "abc", city), map[string]any{"city": "Oslo"}},
		"after odd ones": {"Photoshop 3.0\x00" + resource(0x03ED, "ab", "xyz") + resource(0x0425, "", "q") +
			resource(0x0404, "name", city), map[string]any{"city": "Oslo"}},
		"other resources": {resource(0x0425, "", city), nil},
		"repeated": {iim(2, 25, "sun") + iim(2, 25, "sea") + iim(2, 80, "Ann"),
			map[string]any{"keywords": []string{"sun", "sea"}, "byline": []string{"Ann"}}},
		"once only":        {city + iim(2, 90, "Rome"), map[string]any{"city": "Oslo"}},
		"UTF-8":            {iim(2, 105, "Straße"), map[string]any{"headline": "Straße"}},
		"Latin-1":          {iim(2, 105, "Stra\xDFe"), map[string]any{"headline": "Straße"}},
		"padding":          {iim(2, 101, " Norway \x00\x00"), map[string]any{"country": "Norway"}},
		"empty":            {iim(2, 101, "") + iim(2, 25, "\x00 "), nil},
		"other records":    {iim(1, 90, "\x1b%G") + iim(3, 90, "x") + city, map[string]any{"city": "Oslo"}},
		"unknown datasets": {iim(2, 0, "\x00\x02") + iim(2, 250, "x") + city, map[string]any{"city": "Oslo"}},
		"extended size":    {long + city, map[string]any{"caption": "abc", "city": "Oslo"}},
		"size too long": {city + string([]byte{0x1C, 2, 120, 0x80, 5, 0, 0, 0, 0, 3}) +
			"abc", map[string]any{"city": "Oslo"}},
		"size past the end": {city + string([]byte{0x1C, 2, 120, 0x80, 4, 0xFF, 0xFF, 0xFF, 0xFF}) +
			"abc", map[string]any{"city": "Oslo"}},
		"broken off":         {city + iim(2, 101, "Norway")[:8], map[string]any{"city": "Oslo"}},
		"resource too large": {resource(0x0404, "", city)[:12] + city, map[string]any{"city": "Oslo"}},
		"skipped past end":   {"8BIM\x04\x25\x00\x00\xFF\xFF\xFF\xFF" + resource(0x0404, "", city), nil},
		"name past the end":  {"8BIM\x04\x04\xFF" + strings.Repeat("x", 20), nil},
	} {
		if got := iptcOf([]byte(c.data)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, want %#v", name, got, c.want)
		}
	}
	if list := iptcOf(bytes.Repeat([]byte(iim(2, 25, "again")), 5000))["keywords"].([]string); len(list) != maxRepeat {
		t.Errorf("%d keywords", len(list))
	}
}

func FuzzIPTC(f *testing.F) {
	f.Add(
		[]byte(
			"Photoshop 3.0\x00" + resource(0x03ED, "ab", "xyz") +
				resource(0x0404, "", iim(2, 25, "sun")+iim(2, 25, "s\xE9a")),
		),
	)
	f.Add([]byte(iim(2, 90, "Oslo") + string([]byte{0x1C, 2, 120, 0x80, 4, 0, 0, 0, 3}) + "abc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tags, total := iptcOf(data), 0
		for name, v := range tags {
			list, _ := v.([]string)
			if text, ok := v.(string); ok {
				list = []string{text}
			}
			if len(list) == 0 || len(list) > maxRepeat {
				t.Errorf("%s has %d values", name, len(list))
			}
			for _, text := range list {
				if total += len(text); text == "" || !utf8.ValidString(text) {
					t.Errorf("%s is %q", name, text)
				}
			}
		}
		if total > 2*min(len(data), maxIPTC) { // Latin-1 has twice the bytes in UTF-8
			t.Errorf("%d bytes became %d", len(data), total)
		}
	})
}
