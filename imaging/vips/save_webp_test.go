package vips

import (
	"bytes"
	"testing"
)

func TestBareWebP(t *testing.T) {
	const head, pixels, alpha = "RIFF\x00\x00\x00\x00WEBP", "VP8 \x03\x00\x00\x00abc\x00", "ALPH\x02\x00\x00\x00de"
	const exif, icc, animation = "EXIF\x01\x00\x00\x00x\x00", "ICCP\x02\x00\x00\x00yz", "ANIM\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	canvas := func(flags string) string {
		return "VP8X\x0A\x00\x00\x00" + flags + "\x00\x00\x00\x0F\x00\x00\x0F\x00\x00"
	}
	for name, c := range map[string][2]string{
		"opaque":     {head + canvas("\x28") + icc + pixels + exif, "RIFF\x10\x00\x00\x00WEBP" + pixels},
		"alpha":      {head + canvas("\x3C") + icc + alpha + pixels + exif, "RIFF\x2C\x00\x00\x00WEBP" + canvas("\x10") + alpha + pixels},
		"animation":  {head + canvas("\x0A") + animation, ""},
		"broken off": {head + canvas("\x28") + pixels[:9], ""},
		"no chunk":   {head + "VP8", ""},
		"no WebP":    {"hello", ""},
	} {
		want := c[1]
		if want == "" {
			want = c[0]
		}
		if got := bareWebP([]byte(c[0])); !bytes.Equal(got, []byte(want)) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
