package vips

import (
	"bytes"
	"fmt"
	stdimage "image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestSaveWebP compares files with those of libvips' saver, byte for byte, also with two threads.
func TestSaveWebP(t *testing.T) {
	e := open(t)
	random := rand.New(rand.NewPCG(1, 2))
	sizes := [][2]int{{1, 1}, {15, 17}, {33, 16}, {96, 72}}
	for _, size := range sizes {
		for _, kind := range []string{"opaque", "alpha", "clear"} {
			data := pngOf(t, picture(size, kind, random))
			for _, as := range []imaging.Encode{{Quality: 1, Effort: 4}, {Quality: 80, Effort: 4},
				{Quality: 100, Effort: 4}, {Quality: 80, Effort: 0},
				{Quality: 35, Effort: 2}, {Quality: 80, Effort: 6}, {Quality: 80, Effort: 4, Lossless: true},
				{Quality: 30, Effort: 3, Lossless: true}} {
				as.Format, as.Compression, as.By = imaging.WebP, -1, imaging.ByPixels
				err := e.run(t.Context(), "x", imaging.Limits{}, func(j *job) error {
					return sameAsSaver(j, data, as)
				})
				if err != nil {
					t.Errorf(
						"%v %s, quality %d, effort %d, lossless %v: %v", size, kind, as.Quality, as.Effort,
						as.Lossless, err,
					)
				}
			}
		}
	}
}

// picture is a drawing with noise.
func picture(size [2]int, kind string, random *rand.Rand) *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, size[0], size[1]))
	for y := range size[1] {
		for x := range size[0] {
			c := color.NRGBA{uint8(3*x + random.IntN(20)), uint8(2*y + random.IntN(9)), uint8(x ^ y), 255}
			switch kind {
			case "alpha":
				c.A = uint8(x * 255 / size[0] &^ 15)
			case "clear":
				c.A = uint8(random.IntN(2) * 255)
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func sameAsSaver(j *job, data []byte, as imaging.Encode) error {
	source := memorySource(data)
	defer source.close()
	lazy, err := source.load(loaderName(imaging.PNG), "")
	if err != nil {
		return err
	}
	defer lazy.close()
	img, err := lazy.copyMemory()
	if err != nil {
		return err
	}
	defer img.close()
	want, err := img.saveUntil(nil, imaging.WebP, saveOptions(as))
	if err != nil {
		return err
	}
	want = canvased(bareWebP(want), img.width(), img.height()) // libvips 8.16 leaves VP8X out
	for _, threads := range []int{1, 2} {
		j.limits.Threads = threads
		got, err := j.encodePixels(img, as)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%d threads: %d bytes, %.40q; libvips %d, %.40q", threads, len(got), got, len(want), want)
		}
	}
	return nil
}

func TestBareWebP(t *testing.T) {
	const head, pixels, alpha = "RIFF\x00\x00\x00\x00WEBP", "VP8 \x03\x00\x00\x00abc\x00", "ALPH\x02\x00\x00\x00de"
	const exif, icc, animation = "EXIF\x01\x00\x00\x00x\x00", "ICCP\x02\x00\x00\x00yz",
		"ANIM\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	canvas := func(flags string) string {
		return "VP8X\x0A\x00\x00\x00" + flags + "\x00\x00\x00\x0F\x00\x00\x0F\x00\x00"
	}
	for name, c := range map[string][2]string{
		"opaque": {head + canvas("\x28") + icc + pixels + exif, "RIFF\x10\x00\x00\x00WEBP" + pixels},
		"alpha": {head + canvas("\x3C") + icc + alpha + pixels + exif,
			"RIFF\x2C\x00\x00\x00WEBP" + canvas("\x10") + alpha + pixels},
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
