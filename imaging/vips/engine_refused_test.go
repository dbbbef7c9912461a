package vips

import (
	"bytes"
	"slices"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// TestRefusedFormats checks that no way into the engine hands a refused format to a decoder, as a source or as a layer,
// whatever the name or the request says, and that all others pass.
func TestRefusedFormats(t *testing.T) {
	open(t)
	e, err := New(Config{Refused: []imaging.Format{imaging.TIFF, imaging.SVG}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	photo := jpegOf(t, gradient(40, 30, false))
	tiff := processed(open(t), "filters:format(tiff)", photo, t).Data
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>`)
	for _, c := range []struct {
		name, path string
		data       []byte
		layer      []byte
		want       fault.Code
	}{
		{"a JPEG", "20x20", photo, nil, ""},
		{"a TIFF", "20x20", tiff, nil, fault.Unavailable},
		{"an SVG", "20x20", svg, nil, fault.Unavailable},
		{"a preview of a TIFF", "20x20/filters:preview()", tiff, nil, fault.Unavailable},
		{"a JPEG layer", "20x20/filters:image(l)", photo, photo, ""},
		{"a TIFF layer", "20x20/filters:image(l)", photo, tiff, fault.Unavailable},
		{"a TIFF under a layer", "20x20/filters:image(l)", tiff, photo, fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := imaging.Parse("unsafe/" + c.path + "/x")
			if err != nil {
				t.Fatal(err)
			}
			src := sourceOf(c.data)
			src.Name = "photo.jpg"
			if c.layer != nil {
				src.Layers = map[string]imaging.Source{"l": sourceOf(c.layer)}
			}
			_, err = e.Process(t.Context(), src, r.Operations, imaging.DefaultLimits())
			if fault.CodeOf(err) != c.want && (err != nil || c.want != "") {
				t.Errorf("Process: %v, expected %q", err, c.want)
			}
			if c.layer != nil {
				return
			}
			_, err = e.Info(t.Context(), sourceOf(c.data), imaging.InfoRequest{}, imaging.DefaultLimits())
			if fault.CodeOf(err) != c.want && (err != nil || c.want != "") {
				t.Errorf("Info: %v, expected %q", err, c.want)
			}
			_, err = e.Survey(t.Context(), sourceOf(c.data), imaging.DefaultLimits())
			if fault.CodeOf(err) != c.want && (err != nil || c.want != "") {
				t.Errorf("Survey: %v, expected %q", err, c.want)
			}
		})
	}
}

// TestSegments refuses a JPEG of too many segments before libjpeg lists them, whether it is read whole or from a
// reader.
func TestSegments(t *testing.T) {
	e := open(t)
	photo := jpegOf(t, gradient(40, 30, false))
	for n, want := range map[int]fault.Code{200: "", 20_000: fault.TooLarge} {
		data := slices.Concat(photo[:2], bytes.Repeat([]byte{0xFF, 0xE1, 0, 2}, n), photo[2:])
		_, processErr := process(e, "20x20", data, t)
		_, infoErr := e.Info(t.Context(), sourceOf(data), imaging.InfoRequest{}, imaging.DefaultLimits())
		_, surveyErr := e.Survey(t.Context(), sourceOf(data), imaging.DefaultLimits())
		for way, err := range map[string]error{"Process": processErr, "Info": infoErr, "Survey": surveyErr} {
			if fault.CodeOf(err) != want {
				t.Errorf("%s of %d segments: %v, expected %q", way, n, err, want)
			}
		}
	}
}
