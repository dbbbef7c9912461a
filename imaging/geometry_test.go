package imaging

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTurnedSizes(t *testing.T) {
	for degrees, want := range map[int]Size{0: {3, 2}, 90: {2, 3}, 180: {3, 2}, 270: {2, 3}, 360: {3, 2}, 450: {2, 3}} {
		if got := (Size{3, 2}).turned(degrees); got != want {
			t.Errorf("3x2 turned by %d: %v, expected %v", degrees, got, want)
		}
	}
	for orientation := range 10 {
		h := Header{Width: 3, Height: 2, Orientation: orientation}
		if turned := orientation >= 5 && orientation < 9; h.Turned() != turned || h.Sides() == (Size{2, 3}) != turned {
			t.Errorf("orientation %d: turned is %v", orientation, h.Turned())
		}
	}
}

func TestRects(t *testing.T) {
	for r, empty := range map[Rect]bool{{}: true, {0, 0, 0, 5}: true, {0, 0, 5, 0}: true, {1, 1, 1, 1}: false,
		{0, 0, -1, 5}: true, {0, 0, 1, 2}: false, {0, 0, 2, 1}: false} {
		if r.Empty() != empty {
			t.Errorf("%v: empty is not %v", r, empty)
		}
	}
	for _, c := range []struct{ a, b, want Rect }{
		{Rect{1, 2, 3, 4}, Rect{5, 7, 2, 3}, Rect{1, 2, 6, 8}},
		{Rect{5, 7, 2, 3}, Rect{1, 2, 3, 4}, Rect{1, 2, 6, 8}},
		{Rect{1, 2, 3, 4}, Rect{}, Rect{1, 2, 3, 4}},
		{Rect{0, 0, 0, 9}, Rect{1, 2, 3, 4}, Rect{1, 2, 3, 4}},
	} {
		if got := c.a.Union(c.b); got != c.want {
			t.Errorf("%v and %v: %v, expected %v", c.a, c.b, got, c.want)
		}
	}
	for _, c := range []struct {
		left, top, right, bottom float64
		want                     Rect
	}{
		{-5, -5, 200, 200, Rect{0, 0, 100, 50}},
		{1.4, 2.6, 10.5, 20.4, Rect{1, 3, 10, 17}},
		{200, 200, 300, 300, Rect{100, 50, 0, 0}},
		{30, 20, 10, 10, Rect{30, 20, -20, -10}},
	} {
		if got := rectBetween(c.left, c.top, c.right, c.bottom, Size{100, 50}); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}

// TestMiddleIsOneWindow crops around the middle as the crop to the middle does, however the focal point is written, and
// around a corner as to that corner.
func TestMiddleIsOneWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 3000 {
		h := randomHeader(r)
		h.Canvas, h.Width, h.Height = false, 1+r.IntN(5000), 1+r.IntN(5000)
		box := fmt.Sprintf("%dx%d", 1+r.IntN(900), 1+r.IntN(900))
		want := windowOf(t, box, h)
		upright := h.Sides()
		for path, want := range map[string]Rect{
			box + "/center/middle":                      want,
			box + "/filters:focal(0.5,0.5)":             want,
			box + "/filters:focal(0.5x0.5)":             want,
			box + "/filters:focal(0.25x0.25:0.75x0.75)": want,
			box + "/filters:focal(0.0,0.0)":             windowOf(t, box+"/left/top", h),
			box + "/filters:focal(1.0,1.0)":             windowOf(t, box+"/right/bottom", h),
			fmt.Sprintf("%s/filters:focal(0x0:%dx%d)", box, upright.Width, upright.Height): want,
		} {
			if got := windowOf(t, path, h); got != want {
				t.Fatalf("%s of %dx%d: %v, expected %v", path, h.Width, h.Height, got, want)
			}
		}
	}
}

func windowOf(t *testing.T, path string, h Header) Rect {
	t.Helper()
	p, err := planOf(t, path, h, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Window.Rect
}

// TestFitInStretchKeepsTheRatio fits as thumbor and imagor do where both words stand in a URL.
func TestFitInStretchKeepsTheRatio(t *testing.T) {
	h := Header{Format: PNG, Width: 400, Height: 300, Pages: 1, Bands: 3}
	for path, want := range map[string]Size{
		"fit-in/stretch/100x100":                   {100, 75},
		"fit-in/100x100/filters:stretch()":         {100, 75},
		"full-fit-in/stretch/100x100":              {133, 100},
		"adaptive-fit-in/stretch/60x80":            {80, 60},
		"fit-in/stretch/800x800":                   {400, 300},
		"fit-in/stretch/800x800/filters:upscale()": {800, 600},
		"stretch/100x100":                          {100, 100},
		"100x100/filters:stretch()":                {100, 100},
	} {
		p, err := planOf(t, path, h, Limits{})
		if err != nil || p.Result.Size() != want {
			t.Errorf("%s: %v, %v, expected %v", path, p.Result.Size(), err, want)
		}
	}
	r, err := Parse("unsafe/fit-in/stretch/100x100/a.jpg")
	if lines := strings.Join(r.Explain(), ". "); err != nil || !strings.Contains(lines, "Fit it inside 100 x 100") {
		t.Errorf("%s, %v", lines, err)
	}
}

func TestLargeNumbers(t *testing.T) {
	for _, c := range []struct {
		side  int
		scale float64
		want  int
	}{{100, 0.5, 50}, {3, 0.5, 2}, {1, 0.01, 1}, {1 << 52, 2, 1 << 53}, {1 << 52, 1, 1 << 52},
		{1, math.Inf(1), 1 << 53}, {0, math.Inf(1), 1 << 53}} {
		if got := scaled(c.side, c.scale); got != c.want {
			t.Errorf("%d times %v: %d, expected %d", c.side, c.scale, got, c.want)
		}
	}
	const max = math.MaxInt64
	for _, c := range []struct {
		factors []int
		want    int64
	}{{nil, 1}, {[]int{2, 3, 7}, 42}, {[]int{2, max / 2}, max - 1}, {[]int{3, max / 2}, max}, {[]int{max, 2}, max},
		{[]int{5, 0}, 0}, {[]int{0, max}, 0}} {
		if got := Product(c.factors...); got != c.want {
			t.Errorf("%v: %d, expected %d", c.factors, got, c.want)
		}
	}
}

func TestCropRegions(t *testing.T) {
	for _, c := range []struct {
		left, top, right, bottom float64
		want                     Rect
		ok                       bool
	}{
		{0, 0, 0, 0, Rect{}, false},
		{10, 0, 0, 0, Rect{10, 0, 90, 50}, true},
		{0, 10, 0, 0, Rect{0, 10, 100, 40}, true},
		{0, 0, 10, 0, Rect{0, 0, 10, 50}, true},
		{0, 0, 0, 10, Rect{0, 0, 100, 10}, true},
		{0.1, 0.2, 0.5, 1, Rect{10, 10, 40, 40}, true},
		{0, 0, 1, 1, Rect{0, 0, 100, 50}, true}, // from here on one number over 1 means pixels
		{1, 0, 0, 1, Rect{1, 0, 99, 1}, true},
		{0, 1, 1, 0, Rect{0, 1, 1, 49}, true},
		{0, 0, 2, 1, Rect{0, 0, 2, 1}, true},
		{0, 0, 1, 2, Rect{0, 0, 1, 2}, true},
	} {
		o := Operations{CropLeft: c.left, CropTop: c.top, CropRight: c.right, CropBottom: c.bottom}
		if got, ok := o.cropRegion(Size{100, 50}); got != c.want || ok != c.ok {
			t.Errorf("%vx%v:%vx%v: %v, %v, expected %v", c.left, c.top, c.right, c.bottom, got, ok, c.want)
		}
	}
}

// TestStretchedSizes holds when stretching enlarges.
func TestStretchedSizes(t *testing.T) {
	for upscale, want := range map[upscalePolicy]Size{
		upscaleDefault: {200, 20}, upscaleAlways: {200, 20}, upscaleNever: {100, 20}} {
		if got := (Operations{Stretch: true, Width: 200, Height: 20}).
			layoutOf(Size{100, 50}, upscale); got.scaled != want ||
			got.crops() {
			t.Errorf("policy %d: %+v, expected %v", upscale, got, want)
		}
	}
}

func TestAdaptiveBoxes(t *testing.T) {
	adaptive := Fit{In: true, Adaptive: true}
	for _, c := range []struct {
		fit    Fit
		box, s Size
		want   Size
	}{
		{adaptive, Size{200, 100}, Size{30, 40}, Size{100, 200}},
		{adaptive, Size{100, 200}, Size{40, 30}, Size{200, 100}},
		{adaptive, Size{200, 100}, Size{40, 30}, Size{200, 100}},
		{adaptive, Size{200, 100}, Size{30, 30}, Size{200, 100}},
		{adaptive, Size{100, 100}, Size{30, 40}, Size{100, 100}},
		{Fit{In: true}, Size{200, 100}, Size{30, 40}, Size{200, 100}},
		{Fit{Adaptive: true}, Size{200, 100}, Size{30, 40}, Size{200, 100}},
	} {
		if got := (Operations{Fit: c.fit, Width: c.box.Width, Height: c.box.Height}).boxOf(c.s); got != c.want {
			t.Errorf("%+v for %v: %v, expected %v", c, c.s, got, c.want)
		}
	}
}

func TestAlign(t *testing.T) {
	for h, left := range map[HAlign]int{"": 5, HAlignCenter: 5, HAlignLeft: 0, HAlignRight: 11} {
		for v, top := range map[VAlign]int{"": 3, VAlignMiddle: 3, VAlignTop: 0, VAlignBottom: 7} {
			if gotX, gotY := Align(h, v, 11, 7); gotX != left || gotY != top {
				t.Errorf("%q %q: %d, %d, expected %d, %d", h, v, gotX, gotY, left, top)
			}
		}
	}
	for point, want := range map[float64]int{0: 0, 9: 0, 11: 1, 50: 40, 90: 80, 100: 80, -7: 0} {
		if got := around(point, 20, 100); got != want {
			t.Errorf("20 of 100 around %v: %d, expected %d", point, got, want)
		}
	}
}

// TestOrigin follows points of the source through two cuts and scalings.
func TestOrigin(t *testing.T) {
	o := origin{scaleX: 0.5, scaleY: 0.25}
	o.cut(10, 20)
	o.cut(1, 2)
	if o != (origin{0.5, 0.25, 11, 22}) {
		t.Errorf("after cutting: %+v", o)
	}
	o.rescale(Part{1, 2, 100, 200}, Size{200, 50})
	if o != (origin{1, 0.0625, 24, 6}) {
		t.Errorf("after scaling: %+v", o)
	}
	o = origin{scaleX: 0.5, scaleY: 0.25, offsetX: -0.5}
	for r, want := range map[Rect]struct {
		part, in Part
		cut      Rect
	}{
		{10, 20, 30, 40}:  {Part{5.5, 5, 15, 10}, Part{0.5, 0, 15, 10}, Rect{5, 5, 16, 10}},
		{0, 0, 100, 100}:  {Part{0.5, 0, 50, 25}, Part{0.5, 0, 50, 25}, Rect{0, 0, 50, 25}},
		{99, 99, 1, 1}:    {Part{50, 24.75, 0.5, 0.25}, Part{1, 0.75, 0.5, 0.25}, Rect{49, 24, 1, 1}},
		{90, 80, 20, 200}: {Part{45.5, 20, 10, 50}, Part{0.5, 0, 10, 50}, Rect{45, 20, 5, 5}},
	} {
		part := o.partOf(r)
		if cut, in := part.within(Size{50, 25}); part != want.part || in != want.in || cut != want.cut {
			t.Errorf("%v: %v, %v in %v, expected %+v", r, part, in, cut, want)
		}
	}
}
