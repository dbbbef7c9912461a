package vips

import (
	"bytes"
	stdimage "image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestSurveyJPEGAsLibvips compares the header that Go reads of a JPEG with the one that libvips reads.
func TestSurveyJPEGAsLibvips(t *testing.T) {
	e := open(t)
	photo := jpegOf(t, scenery(96, 72))
	gray := stdimage.NewGray(stdimage.Rect(0, 0, 33, 21))
	gray.SetGray(3, 3, color.Gray{200})
	files := map[string][]byte{
		"photo": photo, "gray": jpegOf(t, gray),
		"cmyk":        processed(e, "filters:to_colorspace(cmyk):format(jpeg)", photo, t).Data,
		"cut off":     photo[:60],
		"no picture":  photo[:2],
		"other bytes": []byte("GIF89a, and more of it"),
	}
	for n := range 10 {
		files["orientation "+string(rune('0'+n))] = withOrientation(photo, byte(n))
	}
	shared, _ := filepath.Glob(filepath.Join("testdata", "*.jpg"))
	maps, _ := filepath.Glob(filepath.Join("..", "gainmap", "testdata", "*.jpg"))
	for _, file := range append(shared, maps...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[file] = data
	}
	if err := withInput(t, e, photo, func(j *job) error {
		for name, options := range map[string]string{
			"progressive": "interlace=true", "whole chroma": "subsample-mode=off",
			"progressive, whole chroma": "interlace=true,subsample-mode=off",
		} {
			img, err := j.input.source.load(loaderName(imaging.JPEG), "")
			if err != nil {
				return err
			}
			defer img.close()
			if files[name], err = img.saveUntil(nil, imaging.JPEG, options); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	ours := 0
	for name, data := range files {
		got, ok := surveyJPEG(sourceOf(data))
		want, err := e.surveyWithLibvips(t.Context(), sourceOf(data), imaging.DefaultLimits())
		if !ok {
			t.Logf("%s is left to libvips", name)
			continue
		}
		ours++
		if err != nil || got != want {
			t.Errorf("%s: %+v, libvips says %+v, %v", name, got, want, err)
		}
	}
	if ours < 12 {
		t.Errorf("%d files of %d are read without libvips, expected 12 or more", ours, len(files))
	}
	for name, want := range map[string]float64{
		"photo": 1.5, "progressive": 1.5, "whole chroma": 3, "progressive, whole chroma": 3, "gray": 1, "cmyk": 4,
	} {
		if h, _ := surveyJPEG(sourceOf(files[name])); h.Samples != want {
			t.Errorf("%s: %g samples a pixel, expected %g", name, h.Samples, want)
		}
		if err := withInput(t, e, files[name], func(j *job) error {
			if got := j.input.header.Samples; got != want {
				t.Errorf("%s, opened: %g samples a pixel, expected %g", name, got, want)
			}
			return nil
		}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range photo[:700] { // of no cut it says what is not there
		if h, ok := surveyJPEG(imaging.Source{Reader: bytes.NewReader(photo[:n])}); ok &&
			(h.Width != 96 || h.Height != 72) {
			t.Errorf("the first %d bytes: %+v", n, h)
		}
	}
}
