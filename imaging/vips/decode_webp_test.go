package vips

import (
	"bytes"
	stdimage "image"
	"image/png"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// pixelsOf returns the pixels of an image that can be read.
func pixelsOf(t *testing.T, i *image) stdimage.Image {
	t.Helper()
	data, err := i.saveUntil(nil, imaging.PNG, "")
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// withInput runs do in a job whose input is the file.
func withInput(t *testing.T, e *Engine, data []byte, do func(*job) error) error {
	t.Helper()
	return e.run(t.Context(), "test", imaging.DefaultLimits(), func(j *job) (err error) {
		if j.input, err = j.openWhole(sourceOf(data), 1); err != nil {
			return err
		}
		return do(j)
	})
}

// TestWebPAsLibvipsDecodes compares what libwebp decodes for us with what libvips' loader makes of the same file.
func TestWebPAsLibvipsDecodes(t *testing.T) {
	e := open(t)
	photo := pngOf(t, photograph(420, 310))
	lossy := processed(e, "filters:format(webp)", photo, t).Data
	for name, c := range map[string]struct {
		data  []byte
		scale float64
		ours  bool
	}{
		"whole":          {lossy, 1, true},
		"half":           {lossy, 0.5, true},
		"a third":        {lossy, 1.0 / 3, true},
		"lossless":       {processed(e, "filters:format(webp):lossless()", photo, t).Data, 1, true},
		"lossless, half": {processed(e, "filters:format(webp):lossless()", photo, t).Data, 0.5, true},
		"alpha":          {processed(e, "filters:format(webp)", pngOf(t, glass(96, 72)), t).Data, 1, true},
		"alpha, half":    {processed(e, "filters:format(webp)", pngOf(t, glass(96, 72)), t).Data, 0.5, true},
		"animation":      {processed(e, "filters:format(webp)", animation(t, 40, 30, 3), t).Data, 1, false},
	} {
		err := withInput(t, e, c.data, func(j *job) error {
			h := j.input.header
			l := imaging.Load{
				Frames: h.Pages,
				Shrink: 1,
				Box:    1,
				Scale:  c.scale,
				Width:  int(float64(h.Width)*c.scale + 0.5),
				Height: int(float64(h.Height)*c.scale + 0.5),
			}
			j.plan.Route.Decode = h.DecodedBy()
			got, err := j.decodeByPixels(l)
			if err != nil {
				return err
			}
			if (got != nil) != c.ours {
				t.Errorf("%s: decoded by libwebp alone: %v, expected %v", name, got != nil, c.ours)
			}
			if got == nil {
				return nil
			}
			defer got.close()
			want, err := j.input.decodeByLibvips(l)
			if err != nil {
				return err
			}
			defer want.close()
			if a, b := pixelsOf(t, got), pixelsOf(t, want); a.Bounds() != b.Bounds() || difference(a, b) > 0 {
				t.Errorf("%s: %v is not libvips' %v, or differs by %v", name, a.Bounds(), b.Bounds(), difference(a, b))
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWebPOfAPreview has a picture shrunk once: the box follows the decoding.
func TestWebPOfAPreview(t *testing.T) {
	e := open(t)
	data := processed(e, "filters:format(webp):quality(95)", pngOf(t, photograph(800, 600)), t).Data
	if err := withInput(t, e, data, func(j *job) error {
		if err := j.planFor(j.input.header, imaging.Operations{Width: 60, Filters: "preview()"},
			imaging.PlanOptions{Writable: e.writable}); err != nil {
			return err
		}
		planned := j.plan.Load
		if err := j.load(); err != nil {
			return err
		}
		if planned.Box < 2 || j.image.width() != planned.Width || j.image.pageHeight() != planned.Height {
			t.Errorf("%dx%d were loaded, planned was %+v", j.image.width(), j.image.pageHeight(), planned)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestWebPOfACrop cuts off less than a decoded pixel: nothing is cut before scaling, and still not all is scaled.
func TestWebPOfACrop(t *testing.T) {
	e := open(t)
	w := swell{width: 1000, height: 600, period: 160}
	data := processed(e, "filters:format(webp):quality(97)", pngOf(t, w.picture()), t).Data
	got, err := unpacked(processed(e, "3x0:0x0/100x0/filters:format(png)", data, t))
	if err != nil {
		t.Fatal(err)
	}
	if m := accuracyOf(w, seen{left: 3, width: 997, height: 600}, got); m.off > 0.1 || m.psnr < 45 {
		t.Errorf("%.1f dB, off by %.3f pixels", m.psnr, m.off)
	}
}

// TestWebPEndsEarly has a file that is cut off refused, and looks at the end of the context.
func TestWebPEndsEarly(t *testing.T) {
	e := open(t)
	data := processed(e, "filters:format(webp):quality(95)", pngOf(t, photograph(800, 600)), t).Data
	load := imaging.Load{Frames: 1, Shrink: 1, Box: 1, Scale: 1, Width: 800, Height: 600}
	if _, err := e.Process(t.Context(), sourceOf(data[:len(data)/2]), imaging.Operations{Width: 100},
		imaging.DefaultLimits()); fault.CodeOf(err) != fault.CorruptImage {
		t.Errorf("half of a file: %v, expected %s", err, fault.CorruptImage)
	}
	if err := withInput(t, e, data, func(j *job) error {
		*j.stop = 1
		j.plan.Route.Decode = imaging.ByPixels
		if got, err := j.decodeByPixels(load); got != nil || err != pixels.ErrStopped { // not left to libvips
			got.close()
			t.Errorf("a job that was to stop decoded its file: %v", err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestWebPKeepsMetadata reads the orientation and the profile of a file that libwebp decodes.
func TestWebPKeepsMetadata(t *testing.T) {
	e := open(t)
	file := libvipsMakes(t, e, withOrientation(jpegOf(t, scenery(96, 72)), 6), imaging.WebP, "")
	r, err := e.Process(t.Context(), sourceOf(file), imaging.Operations{Width: 36}, imaging.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if r.Width != 36 || r.Height != 48 {
		t.Errorf("the result is %dx%d, expected 36x48: the file is turned", r.Width, r.Height)
	}
}
