package imaging

import (
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestShrinks holds from what factor on a decoder shrinks: a head-room of 1.49 stays.
func TestShrinks(t *testing.T) {
	for factor, want := range map[float64]int{2: 1, 1: 1, 0.34: 1, 0.3355: 2, 0.168: 2, 0.1677: 4, 0.084: 4, 0.0838: 8,
		0.0001: 8} {
		if got := shrinkOf(factor); got != want {
			t.Errorf("%v: %d, expected %d", factor, got, want)
		}
	}
}

func TestPlanLoadSizes(t *testing.T) {
	webp := Header{Format: WebP, Width: 1000, Height: 500, Pages: 1}
	png := Header{Format: PNG, Width: 801, Height: 403, Pages: 1}
	clear := func(depth int) Header {
		h := png
		h.Alpha, h.Bands, h.Depth = true, 4, depth
		return h
	}
	for _, c := range []struct {
		path          string
		h             Header
		width, height int
	}{
		{"251x", webp, 1000, 500}, // by whole divisors only
		{"250x", webp, 500, 250},
		{"167x", webp, 500, 250},
		{"166x", webp, 333, 167},
		{"100x", webp, 200, 100},
		{"100x50/smart", Header{Format: WebP, Width: 400, Height: 2000, Pages: 1}, 200, 1000},
		{"trim/100x", webp, 1000, 500},
		{"100x/filters:format(webp)", Header{Format: WebP, Width: 1000, Height: 500, Pages: 2}, 1000, 500},
		{"200x/filters:preview()", png, 401, 202},
		{"200x/filters:preview()", clear(8), 401, 202},
		{"200x/filters:preview()", clear(16), 801, 403},
		{"200x/filters:preview()", clear(0), 401, 202},
		{"200x", png, 801, 403},
		{"50x", Header{Format: JPEG, Width: 801, Height: 403, Pages: 1, Bands: 3}, 100, 50},
		{"1x", Header{Format: JPEG, Width: 7, Height: 7, Pages: 1, Bands: 3}, 1, 1},
		{"100x/filters:orient(90)", Header{Format: JPEG, Width: 800, Height: 400, Pages: 1, Bands: 3}, 400, 200},
		{"100x/filters:orient(180)", Header{Format: JPEG, Width: 800, Height: 400, Pages: 1, Bands: 3}, 200, 100},
		{"100x/filters:orient(90)", Header{Format: JPEG, Width: 800, Height: 400, Pages: 1, Bands: 3, Orientation: 6},
			200, 100},
		{"", Header{Format: SVG}, 1000, 1000},
		{"", Header{Format: SVG, Width: 50}, 1000, 1000},
		{"", Header{Format: SVG, Height: 50}, 1000, 1000},
		{"10x", Header{Format: SVG, Width: 100, Height: 50, Pages: 1}, 10, 5},
	} {
		p, err := planOf(t, c.path, c.h, DefaultLimits())
		if err != nil || p.Load.Width != c.width || p.Load.Height != c.height {
			t.Errorf("%s of %+v: %+v, %v, expected %dx%d", c.path, c.h, p.Load, err, c.width, c.height)
		}
	}
}

// TestExactLimits checks that a picture may reach every limit.
func TestExactLimits(t *testing.T) {
	gif := Header{Format: GIF, Width: 10, Height: 10, Pages: 7, Bands: 4}
	png := Header{Format: PNG, Width: 100, Height: 50, Pages: 1, Bands: 3}
	for _, c := range []struct {
		path   string
		h      Header
		limits Limits
		ok     bool
	}{
		{"", png, Limits{MaxSourcePixels: 5000}, true},
		{"", png, Limits{MaxSourcePixels: 4999}, false},
		{"", gif, Limits{MaxSourcePixels: 700}, true},
		{"", gif, Limits{MaxSourcePixels: 699}, false},
		{"filters:page(3)", gif, Limits{MaxSourcePixels: 300}, true},
		{"filters:page(3)", gif, Limits{MaxSourcePixels: 299}, false},
		{"", gif, Limits{MaxFrames: 7}, true},
		{"", gif, Limits{MaxFrames: 6}, false},
		{"200x100", png, Limits{MaxResultPixels: 20000}, true},
		{"200x100", png, Limits{MaxResultPixels: 19999}, false},
		{"200x100", png, Limits{MaxResultSide: 200}, true},
		{"200x100", png, Limits{MaxResultSide: 199}, false},
		{"100x200", png, Limits{MaxResultSide: 200}, true},
		{"100x200", png, Limits{MaxResultSide: 199}, false},
		{"filters:image(anim):format(webp)", png, Limits{MaxFrames: 3}, true},
		{"filters:image(anim):format(webp)", png, Limits{MaxFrames: 2}, false},
		{"filters:image(anim):format(webp)", png, Limits{MaxResultPixels: 15000}, true},
		{"filters:image(anim):format(webp)", png, Limits{MaxResultPixels: 14999}, false},
		{"10000000x1", png, Limits{}, true},
		{"1x10000000", Header{Format: PNG, Width: 1, Height: 10000, Pages: 1, Bands: 3}, Limits{}, true},
		{"10000001x1", png, Limits{}, false},
		{"100x20000000/filters:format(png)", Header{Format: PNG, Width: 1, Height: 1, Pages: 1, Bands: 3}, Limits{},
			false},
		// scaled to 1000 x 10,000,000
		{"1000x20", Header{Format: PNG, Width: 1, Height: 10000, Pages: 1, Bands: 3}, Limits{}, true},
		// before it is cut
		{"1001x20", Header{Format: PNG, Width: 1, Height: 10000, Pages: 1, Bands: 3}, Limits{}, false},
		{"20x1000", Header{Format: PNG, Width: 10000, Height: 1, Pages: 1, Bands: 3}, Limits{}, true},
		{"20x1001", Header{Format: PNG, Width: 10000, Height: 1, Pages: 1, Bands: 3}, Limits{}, false},
	} {
		if _, err := planOf(t, c.path, c.h, c.limits); (err == nil) != c.ok ||
			err != nil && fault.CodeOf(err) != fault.TooLarge {
			t.Errorf("%s of %dx%d, %+v: %v", c.path, c.h.Width, c.h.Height, c.limits, err)
		}
	}
}

// TestLoadedSizes plans with another size than the header said.
func TestLoadedSizes(t *testing.T) {
	limits := DefaultLimits()
	limits.MaxSourcePixels = 200_000
	p, err := planOf(t, "filters:rotate(90)", Header{Format: PNG, Width: 400, Height: 200, Pages: 1, Bands: 3}, limits)
	if err != nil {
		t.Fatal(err)
	}
	if q, err := p.WithLoaded(Size{400, 201}); err != nil || q.Load.Height != 201 || q.Upright != (Size{400, 200}) {
		t.Errorf("%+v, %v", q.Load, err)
	}
	if _, err := p.WithLoaded(Size{1000, 201}); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("a decoded size over the limit: %v", err)
	}
}

// TestFocalWindows holds where the window lies around focal regions, after turning, cropping and scaling.
func TestFocalWindows(t *testing.T) {
	h := Header{Format: PNG, Width: 400, Height: 200, Pages: 1, Bands: 3}
	for path, want := range map[string]Rect{
		"100x100":                                                     {50, 0, 100, 100},
		"100x100/filters:focal(0x0:20x20)":                            {0, 0, 100, 100},
		"100x100/filters:focal(160x0:200x20)":                         {40, 0, 100, 100},
		"100x100/filters:focal(300x100)":                              {100, 0, 100, 100},
		"100x100/filters:focal(0.5x0.5)":                              {50, 0, 100, 100},
		"100x100/filters:focal(0.3x0.1:0.4x0.2)":                      {20, 0, 100, 100},
		"100x100/filters:focal(160x0:200x20):focal(240x0:280x20)":     {60, 0, 100, 100},
		"100x100/filters:focal(240x0:280x20):focal(160x0:200x20)":     {60, 0, 100, 100},
		"100x0:400x200/100x100/filters:focal(200x100)":                {0, 0, 100, 100},
		"100x0:400x200/100x100/filters:focal(260x100)":                {30, 0, 100, 100},
		"400x50/filters:focal(100x40:120x60)":                         {0, 25, 400, 50},
		"400x50/filters:focal(0.1x0.3:0.2x0.4)":                       {0, 45, 400, 50},
		"40x100/filters:orient(90):focal(120x300)":                    {10, 0, 40, 100},
		"200x50/filters:focal(100x80:120x100):focal(100x120:120x140)": {0, 30, 200, 50},
		"0x50:400x200/400x50/filters:focal(100x100:120x120)":          {0, 35, 400, 50},
		"200x50/smart/filters:focal(100x90:120x110)":                  {0, 25, 200, 50},
	} {
		p, err := planOf(t, path, h, DefaultLimits())
		if err != nil || p.Window.Rect != want || p.Window.Pending != "" {
			t.Errorf("%s: %+v of %v, %v, expected %v", path, p.Window, p.Scaled, err, want)
		}
	}
}

// TestCropSegment holds what is cut of the decoded picture, and that a region without area is ignored or refused.
func TestCropSegment(t *testing.T) {
	h := Header{Format: PNG, Width: 400, Height: 200, Pages: 1, Bands: 3}
	strict := DefaultLimits()
	strict.Strict = true
	for path, want := range map[string]Rect{
		"": {}, "0x0:400x200": {}, "0x0:399x200": {0, 0, 399, 200}, "10x20:30x40": {10, 20, 20, 20},
		"0.5x0.5:1x1": {200, 100, 200, 100}, "10x20:0x0": {10, 20, 390, 180},
	} {
		p, err := planOf(t, path, h, strict)
		if err != nil || p.Crop != want {
			t.Errorf("%s: %v, %v, expected %v", path, p.Crop, err, want)
		}
	}
	p, err := planOf(t, "400x0:0x0", h, DefaultLimits())
	if _, refused := planOf(t, "400x0:0x0", h, strict); err != nil || p.Crop != (Rect{}) || len(p.Warnings) != 1 ||
		fault.CodeOf(refused) != fault.Invalid {
		t.Errorf("a region without area: %v, %v, %v, in strict mode %v", p.Crop, p.Warnings, err, refused)
	}
}

// TestTrimTolerance: a tolerance beyond the greatest distance is named in the result's warnings, too.
func TestTrimTolerance(t *testing.T) {
	h := Header{Format: PNG, Width: 400, Height: 200, Pages: 1, Bands: 3}
	strict := DefaultLimits()
	strict.Strict = true
	for path, warns := range map[string]bool{"trim:442": false, "trim:500": true} {
		p, err := planOf(t, path, h, DefaultLimits())
		if err != nil || (len(p.Warnings) > 0) != warns {
			t.Errorf("%s: %v, %v", path, p.Warnings, err)
		}
		_, refused := planOf(t, path, h, strict)
		if (refused != nil) != warns || warns && fault.Of(refused).Field != "trim" {
			t.Errorf("%s in strict mode: %v", path, refused)
		}
	}
}

// TestFormatsOfAnimations checks that a preferred format that does not move is taken for stills only.
func TestFormatsOfAnimations(t *testing.T) {
	limits := DefaultLimits()
	limits.AutoFormat = []Format{AVIF}
	for _, c := range []struct {
		path  string
		pages int
		want  Format
	}{{"", 3, GIF}, {"", 1, AVIF}, {"filters:max_frames(1)", 3, AVIF}, {"filters:max_frames(2)", 3, GIF},
		{"filters:page(2)", 3, AVIF}} {
		p, err := planOf(t, c.path, Header{Format: GIF, Width: 10, Height: 10, Pages: c.pages, Bands: 4}, limits)
		if err != nil || p.Format() != c.want {
			t.Errorf("%q of %d pages: %s, %v, expected %s", c.path, c.pages, p.Format(), err, c.want)
		}
	}
}

// TestTrimSteps holds what a trim that is known makes of the picture.
func TestTrimSteps(t *testing.T) {
	h := Header{Format: PNG, Width: 100, Height: 80, Pages: 1, Bands: 3}
	for keep, want := range map[Rect]string{
		{}:               "trim skipped to 100x80",
		{0, 0, 100, 80}:  "trim skipped to 100x80",
		{10, 20, 30, 40}: "trim {10 20 30 40} to 30x40",
		{0, 0, 100, 79}:  "trim {0 0 100 79} to 100x79",
	} {
		p, err := planOf(t, "filters:trim()", h, DefaultLimits())
		if err != nil || stepsOf(p) != "trim pending trim to 0x0 in 0 frames" {
			t.Fatalf("%q, %v", stepsOf(p), err)
		}
		if p, err = p.WithTrim(keep); err != nil || stepsOf(p) != want {
			t.Errorf("%v: %q, %v, expected %q", keep, stepsOf(p), err, want)
		}
	}
}
