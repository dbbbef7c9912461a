package vips

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
	corpus "github.com/safelight/safelight/imaging/hostile"
)

// TestSurveyChunksAsLibvips compares the headers that Go reads of PNGs and WebPs with those that libvips reads, which
// alone tells a profile that is sRGB from others.
func TestSurveyChunksAsLibvips(t *testing.T) {
	e := open(t)
	files := map[string][]byte{}
	for _, pattern := range []string{
		filepath.Join(goldenSources, "*.png"), filepath.Join("..", "pixels", "testdata", "*.webp"),
	} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(name)] = data
		}
	}
	photo := jpegOf(t, scenery(96, 72))
	for _, path := range []string{
		"format(png)", "format(png):palette(16)", "format(png):round_corner(9)",
		"format(png):round_corner(9):palette(16)",
		"format(png):grayscale()", "format(png):to_colorspace(p3)", "format(webp)", "format(webp):round_corner(9)",
		"format(webp):lossless()", "format(webp):lossless():round_corner(9)", "format(webp):to_colorspace(p3)",
	} {
		files[path] = processed(e, "filters:"+path, photo, t).Data
	}
	ours := 0
	compare := func(name string, data []byte) {
		got, ok := e.Parse(sourceOf(data))
		if !ok {
			t.Logf("%s is left to libvips", name)
			return
		}
		want, err := e.surveyWithLibvips(t.Context(), sourceOf(data), imaging.DefaultLimits())
		if err != nil || strings.Contains(name, "palette-beyond") { // which libvips does not take for transparency
			t.Logf("%s: %+v, libvips says %+v, %v", name, got, want, err)
			return
		}
		ours++
		if got.Profile {
			want.Profile = true
		}
		if got != want {
			t.Errorf("%s: %+v, libvips says %+v", name, got, want)
		}
	}
	for name, data := range files {
		compare(name, data)
	}
	if ours < 16 {
		t.Errorf("%d files of %d are read without libvips, expected 16 or more", ours, len(files))
	}
	seeds := corpus.Seeds{"jpg": photo, "png": files["format(png)"], "webp": files["format(webp)"]}
	for _, f := range corpus.Files(seeds) {
		if ext := filepath.Ext(f.Name); ext == ".png" || ext == ".webp" {
			compare(f.Name, f.Data())
		}
	}
	for _, name := range []string{"format(png)", "format(webp)", "format(webp):lossless()",
		"format(webp):round_corner(9)"} {
		for n := range files[name][:min(len(files[name]), 100)] { // of no cut it says what is not there
			if h, ok := e.Parse(imaging.Source{Reader: bytes.NewReader(files[name][:n])}); ok &&
				(h.Width != 96 || h.Height != 72) {
				t.Errorf("the first %d bytes of %s: %+v", n, name, h)
			}
		}
	}
}
