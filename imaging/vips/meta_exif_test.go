package vips

import "testing"

func TestExifValue(t *testing.T) {
	for text, want := range map[string]any{
		"6 (Right-top, Short, 1 components, 2 bytes)":                                  6,
		"72/1 (72, Rational, 1 components, 8 bytes)":                                   "72/1",
		"Apple (Apple, ASCII, 6 components, 6 bytes)":                                  "Apple",
		"A (B) C (A (B) C, ASCII, 8 components, 8 bytes)":                              "A (B) C",
		"54823/32325 (1.70 EV (f/1.8), Rational, 1 components, 8 bytes)":               "54823/32325",
		"007 (007, ASCII, 4 components, 4 bytes)":                                      "007",
		"-3 (-3, SLong, 1 components, 4 bytes)":                                        -3,
		"Exif Version 2.1 (Exif Version 2.1, Undefined, 4 components, 4 bytes)":        "Exif Version 2.1",
		"16 (Flash did not fire, compulsory flash mode, Short, 1 components, 2 bytes)": 16,
		"no description":                    "no description",
		"":                                  "",
		" (, ASCII, 1 components, 1 bytes)": "",
		"\xff\xfe (x, ASCII, 1 components, 1 bytes)": "\uFFFD",
	} {
		if got := exifValue(text); got != want {
			t.Errorf("%q: %#v, want %#v", text, got, want)
		}
	}
}
