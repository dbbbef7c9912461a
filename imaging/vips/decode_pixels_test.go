package vips

import (
	"bytes"
	"errors"
	stdimage "image"
	"image/color"
	"image/draw"
	"reflect"
	"slices"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// libvipsMakes returns the picture as libvips' own saver writes it with these options.
func libvipsMakes(t *testing.T, e *Engine, source []byte, f imaging.Format, options string) (file []byte) {
	t.Helper()
	if err := withInput(t, e, source, func(j *job) (err error) {
		img, err := j.input.decodeByLibvips(imaging.Load{Frames: 1, Shrink: 1, Scale: 1})
		if err != nil {
			return err
		}
		defer img.close()
		whole, err := img.copyMemory()
		if err != nil {
			return err
		}
		defer whole.close()
		file, err = whole.saveUntil(nil, f, options)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return file
}

// sameAsLibvips compares what is decoded directly with what libvips' loader makes of the same file: pixels and header.
func sameAsLibvips(t *testing.T, e *Engine, name string, data []byte, shrink int, ours bool) {
	t.Helper()
	err := withInput(t, e, data, func(j *job) error {
		h := j.input.header
		l := imaging.Load{
			Frames: 1,
			Shrink: shrink,
			Box:    1,
			Scale:  1,
			Width:  max(h.Width/shrink, 1),
			Height: max(h.Height/shrink, 1),
		}
		j.plan.Route.Decode = h.DecodedBy()
		got, err := j.decodeByPixels(l)
		if err != nil {
			return err
		}
		if (got != nil) != ours {
			t.Errorf("%s: decoded without libvips: %v, expected %v", name, got != nil, ours)
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
		if a, b := got.fields(), want.fields(); !slices.Equal(a, b) {
			t.Errorf("%s: the header has %v, expected %v", name, a, b)
		}
		for _, field := range want.fields() {
			if a, b := got.text(field), want.text(field); a != b && field != "filename" {
				t.Errorf("%s: %s is %q, expected %q", name, field, a, b)
			}
		}
		whole, err := want.copyMemory()
		if err != nil {
			return err
		}
		defer whole.close()
		held, err := got.copyMemory()
		if err != nil {
			return err
		}
		defer held.close()
		a, _ := held.picture()
		b, _ := whole.picture()
		if !bytes.Equal(a.Pixels, b.Pixels) || a.Width != b.Width || a.Bands != b.Bands || a.PerMeter != b.PerMeter {
			t.Errorf(
				"%s: %dx%dx%d is not libvips' %dx%dx%d, or differs by %v", name, a.Width, a.Height, a.Bands,
				b.Width, b.Height, b.Bands, difference(pixelsOf(t, held), pixelsOf(t, whole)),
			)
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestPNGAsLibvipsDecodes has every kind of PNG decoded as libvips does, or by libvips.
func TestPNGAsLibvipsDecodes(t *testing.T) {
	e := open(t)
	opaque := photograph(233, 151)
	gray := stdimage.NewGray(opaque.Rect)
	draw.Draw(gray, gray.Rect, opaque, stdimage.Point{}, draw.Src)
	clear := photograph(233, 151)
	for n := 3; n < len(clear.Pix); n += 4 {
		clear.Pix[n] = uint8(n / 7)
	}
	few := stdimage.NewPaletted(
		stdimage.Rect(0, 0, 40, 30),
		color.Palette{color.White, color.Black, color.NRGBA{255, 0, 0, 90}},
	)
	files := map[string][]byte{
		"gray":      pngOf(t, gray),
		"RGB":       pngOf(t, opaque),
		"RGBA":      pngOf(t, clear),
		"one pixel": pngOf(t, photograph(1, 1)),
	}
	files["gray, alpha"] = libvipsMakes(
		t, e, processed(e, "filters:grayscale():format(png):round_corner(20)", files["RGB"], t).Data,
		imaging.PNG, "filter=all",
	)
	files["with a profile"] = libvipsMakes(t, e, files["RGB"], imaging.PNG, "profile=p3")
	for name, data := range files {
		sameAsLibvips(t, e, name, data, 1, true)
	}
	for name, data := range map[string][]byte{
		"palette": pngOf(t, few), "16 bits": pngOf(t, deep()),
		"interlaced": libvipsMakes(t, e, files["RGB"], imaging.PNG, "interlace=true"),
		"2 bits":     libvipsMakes(t, e, files["gray"], imaging.PNG, "bitdepth=2"),
	} {
		sameAsLibvips(t, e, name, data, 1, false)
	}
}

// TestJPEGAsLibvipsDecodes has every kind of JPEG decoded as libvips does, or by libvips.
func TestJPEGAsLibvipsDecodes(t *testing.T) {
	e := open(t)
	photo := jpegOf(t, photograph(235, 157))
	for name, data := range map[string][]byte{
		"4:2:0": photo, "4:4:4": libvipsMakes(t, e, photo, imaging.JPEG, "Q=95,subsample-mode=off"),
		"turned":          withOrientation(photo, 6),
		"with a profile":  libvipsMakes(t, e, photo, imaging.JPEG, "profile=p3"),
		"restart markers": libvipsMakes(t, e, photo, imaging.JPEG, "restart-interval=3"),
	} {
		for _, shrink := range []int{1, 2, 4, 8} {
			sameAsLibvips(t, e, name, data, shrink, true)
		}
	}
	gray := processed(e, "filters:grayscale():format(jpeg)", photo, t).Data
	cmyk := processed(e, "filters:to_colorspace(cmyk):format(jpeg)", photo, t).Data
	adobe := bytes.Index(cmyk, []byte("Adobe"))
	if adobe < 0 {
		t.Fatal("no CMYK of Adobe")
	}
	for name, data := range map[string][]byte{
		"progressive": libvipsMakes(t, e, photo, imaging.JPEG, "interlace=true"), "gray": gray, "CMYK": cmyk,
		"progressive gray": libvipsMakes(t, e, gray, imaging.JPEG, "interlace=true"),
		"CMYK of others":   slices.Concat(cmyk[:adobe], []byte("Other"), cmyk[adobe+5:]),
	} {
		for _, shrink := range []int{1, 2, 4, 8} {
			sameAsLibvips(t, e, name, data, shrink, true)
		}
	}
	sameAsLibvips(t, e, "large, in rows", jpegOf(t, photograph(2900, 2100)), 1, true)
}

// TestDamagedJPEG changes bytes of a file: what libvips' loader warns of, the result of the engine warns of.
func TestDamagedJPEG(t *testing.T) {
	e := open(t)
	photo := jpegOf(t, photograph(235, 157))
	warned := 0
	for at := 700; at < len(photo)-2; at += len(photo) / 60 {
		data := bytes.Clone(photo)
		data[at] ^= 0x55
		fails := withInput(t, e, data, func(j *job) error {
			img, err := j.input.source.load("jpegload_source", "access=sequential,shrink=2,fail_on=warning")
			if err != nil {
				return err
			}
			defer img.close()
			whole, err := img.copyMemory()
			whole.close()
			return err
		}) != nil
		r, err := e.Process(
			t.Context(), sourceOf(data), imaging.Operations{Width: 79, Height: 53}, imaging.DefaultLimits(),
		)
		if err != nil {
			if fault.CodeOf(err) != fault.CorruptImage {
				t.Errorf("byte %d: %v", at, err)
			}
			continue
		}
		if fails {
			warned++
		}
		if fails && len(r.Warnings) == 0 {
			t.Errorf("byte %d: libvips fails, and the result has no warning", at)
		}
	}
	if warned == 0 {
		t.Error("no byte made a difference")
	}
}

// TestJPEGAsLibvipsSaves compares files byte by byte.
func TestJPEGAsLibvipsSaves(t *testing.T) {
	e := open(t)
	color := pngOf(t, photograph(123, 77))
	gray := stdimage.NewGray(stdimage.Rect(0, 0, 50, 40))
	draw.Draw(gray, gray.Rect, photograph(50, 40), stdimage.Point{}, draw.Src)
	for name, source := range map[string][]byte{"RGB": color, "gray": pngOf(t, gray)} {
		for _, quality := range []int{1, 35, 80, 89, 90, 100} {
			err := withInput(t, e, source, func(j *job) error {
				img, err := j.loadPNG()
				if err != nil {
					return err
				}
				defer img.close()
				encode := imaging.Encode{
					Format: imaging.JPEG, Quality: quality, Effort: -1, Compression: -1, By: imaging.ByPixels,
				}
				want, err := img.saveUntil(nil, imaging.JPEG, saveOptions(encode))
				if err != nil {
					return err
				}
				got, err := j.encodePixels(img, encode)
				if !bytes.Equal(got, want) {
					t.Errorf(
						"%s, quality %d: %d bytes, libvips writes %d, which are others", name, quality,
						len(got), len(want),
					)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPNGNoLarger holds the sizes of PNGs to those of libvips' saver at every level: on average no larger, and none by
// more than 8 %.
func TestPNGNoLarger(t *testing.T) {
	e := open(t)
	gray := stdimage.NewGray(stdimage.Rect(0, 0, 300, 200))
	draw.Draw(gray, gray.Rect, photograph(300, 200), stdimage.Point{}, draw.Src)
	sources := map[string][]byte{
		"photo": pngOf(t, photograph(320, 240)),
		"scene": pngOf(t, scenery(320, 240)),
		"glass": pngOf(t, glass(320, 240)),
		"logo":  pngOf(t, logo(280, 200)),
		"gray":  pngOf(t, gray),
		"noise": pngOf(t, noise(90, 70)),
	}
	for level := -1; level <= 9; level++ {
		sum := 0.0
		for name, source := range sources {
			err := withInput(t, e, source, func(j *job) error {
				img, err := j.loadPNG()
				if err != nil {
					return err
				}
				defer img.close()
				encode := imaging.Encode{Format: imaging.PNG, Effort: -1, Compression: level, By: imaging.ByPixels}
				want, err := img.saveUntil(nil, imaging.PNG, saveOptions(encode))
				if err != nil {
					return err
				}
				got, err := j.encodePixels(img, encode)
				ratio := float64(len(got)) / float64(len(want))
				if sum += ratio; ratio > 1.08 || ratio == 0 {
					t.Errorf("%s, level %d: %d bytes, libvips writes %d", name, level, len(got), len(want))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if mean := sum / float64(len(sources)); mean > 1 {
			t.Errorf("level %d: %.3f of what libvips writes", level, mean)
		}
	}
}

// TestPaletteSize checks that a PNG with a palette is no larger than libvips makes it with any one filter for all
// rows, or with all.
func TestPaletteSize(t *testing.T) {
	e := open(t)
	for name, img := range map[string]stdimage.Image{
		"photo": photograph(320, 240), "scene": scenery(320, 240), "logo": logo(280, 200)} {
		source := pngOf(t, img)
		got := len(processed(e, "filters:palette():format(png)", source, t).Data)
		for _, filter := range []string{"all", "none", "sub", "up", "avg", "paeth"} {
			if other := len(libvipsMakes(t, e, source, imaging.PNG, "palette=true,filter="+filter)); got > other+
				other/100 {
				t.Errorf("%s: %d bytes, with filter %s %d", name, got, filter, other)
			}
		}
	}
}

// TestDamagedJPEGAsLibvipsDecodes compares what is made of damaged JPEGs with what libvips makes of them when it goes
// over damage.
func TestDamagedJPEGAsLibvipsDecodes(t *testing.T) {
	e := open(t)
	photo := jpegOf(t, photograph(235, 157))
	for name, data := range map[string][]byte{"cut off": photo[:len(photo)*2/3], "last MCU": lastMCU(photo),
		"no end": photo[:len(photo)-2]} {
		err := withInput(t, e, data, func(j *job) error {
			l := imaging.Load{Frames: 1, Shrink: 1, Scale: 1, Width: 235, Height: 157}
			got, err := j.input.loadJPEG(l, j.damaged, j.stop)
			if err != nil {
				return err
			}
			defer got.close()
			if warnings := j.allWarnings(); !j.damaged.Load() || len(warnings) != 1 {
				t.Errorf("%s: damaged %v, %v", name, j.damaged.Load(), warnings)
			}
			want, err := j.input.decodeByLibvips(l)
			if err != nil {
				return err
			}
			defer want.close()
			if !reflect.DeepEqual(pixelsOf(t, got), pixelsOf(t, want)) {
				t.Errorf("%s: other pixels than libvips'", name)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPNGStops has libdeflate's part end when the job does.
func TestPNGStops(t *testing.T) {
	e := open(t)
	err := withInput(t, e, pngOf(t, photograph(90, 80)), func(j *job) error {
		img, err := j.loadPNG()
		if err != nil {
			return err
		}
		defer img.close()
		*j.stop = 1
		as := imaging.Encode{Format: imaging.PNG, Effort: -1, Compression: 6, By: imaging.ByPixels}
		if data, err := j.encodePixels(img, as); data != nil || !errors.Is(err, pixels.ErrStopped) {
			t.Errorf("stopped: %d bytes, %v", len(data), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestJPEGScaledWhileDecoded says which JPEGs are, and that the picture is the one that is decoded first.
func TestJPEGScaledWhileDecoded(t *testing.T) {
	e := open(t)
	photo := jpegOf(t, photograph(435, 357))
	for name, c := range map[string]struct {
		data []byte
		path string
		ours bool
	}{
		"smaller":         {photo, "fit-in/100x100", true},
		"a window":        {photo, "90x60/smart", true},
		"turned":          {withOrientation(photo, 6), "fit-in/100x100", false},
		"a crop":          {photo, "10x10:400x300/fit-in/100x100", false},
		"as large":        {photo, "", false},
		"larger":          {photo, "stretch/500x400", false},
		"in linear light": {photo, "fit-in/100x100/filters:speed(best)", true},
		"with a profile": {processed(e, "filters:to_colorspace(p3):format(jpeg)", photo, t).Data, "fit-in/100x100",
			false},
		"cut off": {photo[:len(photo)*2/3], "fit-in/100x100", true},
	} {
		r, err := imaging.Parse("unsafe/" + c.path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2} {
			err := withInput(t, e, c.data, func(j *job) error {
				j.icc, j.limits.Threads = j.input.icc, threads
				if err := j.planFor(j.input.header, r.Operations,
					imaging.PlanOptions{Writable: e.writable}); err != nil {
					return err
				}
				return j.scaledAsInTwoSteps(t, name, c.ours)
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func (j *job) scaledAsInTwoSteps(t *testing.T, name string, ours bool) error {
	t.Helper()
	spare := j.input.spare.ref()
	got, err := j.decodeToSize(j.plan.Load)
	if err != nil {
		return err
	}
	if (got != nil) != ours {
		t.Errorf("%s: scaled while it is decoded: %v, expected %v", name, got != nil, ours)
	}
	if got == nil {
		spare.close()
		return nil
	}
	defer got.close()
	j.input.spare = spare
	j.plan.Route.Decode = imaging.ByPixels
	whole, err := j.decodeByPixels(j.plan.Load)
	if err != nil {
		return err
	}
	defer whole.close()
	part := partOf(j.plan.Part, j.plan.Request.Limits.Linear)
	want, err := whole.scaled(part, j.plan.Scaled.Width, j.plan.Scaled.Height, j.stop)
	if err != nil {
		return err
	}
	defer want.close()
	a, _ := got.picture()
	b, _ := want.picture()
	if !bytes.Equal(a.Pixels, b.Pixels) || a.Width != b.Width || a.PerMeter != b.PerMeter ||
		!slices.Equal(got.fields(), want.fields()) {
		t.Errorf("%s: not the pixels and the header that the whole picture gives", name)
	}
	return nil
}

// TestErrorsOfRows checks that callers get the first error of reading rows, not the one of libvips that follows from
// it.
func TestErrorsOfRows(t *testing.T) {
	err := withInput(t, open(t), jpegOf(t, photograph(40, 30)), func(j *job) error {
		j.input.rows = &jpegRows{err: pixels.ErrMemory}
		defer func() { j.input.rows = nil }()
		return j.failed(errors.New("row 7 cannot be decoded"))
	})
	if code := fault.CodeOf(err); code != fault.TooLarge || !errors.Is(err, pixels.ErrMemory) {
		t.Errorf("%s: %v", code, err)
	}
}
