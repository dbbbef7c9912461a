package imaging

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestStraightened holds the sizes that angles leave.
func TestStraightened(t *testing.T) {
	for _, c := range []struct {
		size    Size
		degrees float64
		want    Size
	}{
		{Size{4000, 3000}, 0, Size{4000, 3000}}, {Size{4000, 3000}, 1, Size{3909, 2932}},
		{Size{4000, 3000}, -1, Size{3909, 2932}},
		{Size{3000, 4000}, 1, Size{2932, 3909}}, {Size{1000, 1000}, 45, Size{707, 707}},
		{Size{3000, 2000}, 45, Size{1697, 1131}},
		{Size{1, 1}, 45, Size{1, 1}}, {Size{1, 1000}, 30, Size{1, 1}}, {Size{1000, 2}, 0.1, Size{533, 1}},
		{Size{}, 30, Size{}},
	} {
		if got := c.size.straightened(c.degrees); got != c.want {
			t.Errorf("%v by %g: %v, expected %v", c.size, c.degrees, got, c.want)
		}
	}
}

// TestStraightenedIsInside checks that no corner of the kept part lies outside the source, and that no larger
// rectangle would do.
func TestStraightenedIsInside(t *testing.T) {
	for _, size := range []Size{{4000, 3000}, {3000, 4000}, {512, 512}, {1920, 400}} {
		for degrees := 0.5; degrees <= 45; degrees += 0.5 {
			keep := size.straightened(degrees)
			outside := func(grow float64) (over float64) {
				sin, cos := math.Sincos(-degrees * math.Pi / 180)
				for _, corner := range [][2]float64{{1, 1}, {1, -1}} {
					x, y := corner[0]*(float64(keep.Width)/2+grow), corner[1]*(float64(keep.Height)/2+grow)
					over = max(
						over, math.Abs(x*cos+y*sin)-float64(size.Width)/2,
						math.Abs(y*cos-x*sin)-float64(size.Height)/2,
					)
				}
				return over
			}
			if outside(0) > 1e-9 || outside(1) <= 0 {
				t.Errorf(
					"%v by %g: %v is outside by %g, with a pixel more on each side by %g", size, degrees,
					keep, outside(0), outside(1),
				)
			}
		}
	}
}

// TestPlanStraighten holds what of a JPEG of 4000 x 3000 is decoded, kept, cut and made.
func TestPlanStraighten(t *testing.T) {
	for _, c := range []struct {
		path             string
		header           Header
		keep             Size
		crop             Rect
		result           Size
		shrink, box      int
		left, top, right int // of the window; right is its width
	}{
		{"filters:straighten(1)", Header{}, Size{3909, 2932}, Rect{}, Size{3909, 2932}, 1, 1, 0, 0, 0},
		{"filters:straighten(1)", Header{Orientation: 6}, Size{2932, 3909}, Rect{}, Size{2932, 3909}, 1, 1, 0, 0, 0},
		{"filters:orient(90):straighten(1)", Header{}, Size{2932, 3909}, Rect{}, Size{2932, 3909}, 1, 1, 0, 0, 0},
		{"400x0/filters:straighten(1)", Header{}, Size{978, 733}, Rect{}, Size{400, 300}, 4, 1, 0, 0, 0},
		{"400x0/filters:straighten(1)", Header{Format: PNG}, Size{978, 733}, Rect{}, Size{400, 300}, 1, 4, 0, 0, 0},
		{"3909x2932/filters:straighten(1):straighten(0)", Header{}, Size{}, Rect{}, Size{3909, 2932}, 1, 1, 0, 0, 0},
		{"0.5x0.5:1x1/filters:straighten(1)", Header{}, Size{3909, 2932}, Rect{1955, 1466, 1954, 1466},
			Size{1954, 1466}, 1, 1, 0, 0, 0},
		{"3000x2000:5000x5000/filters:straighten(1)", Header{}, Size{3909, 2932}, Rect{3000, 2000, 909, 932},
			Size{909, 932}, 1, 1, 0, 0, 0},
		{"100x2932/filters:straighten(1)", Header{}, Size{3909, 2932}, Rect{}, Size{100, 2932}, 1, 1, 1904, 0, 100},
		{"100x2932/filters:focal(2000,1500):straighten(1)", Header{}, Size{3909, 2932}, Rect{}, Size{100, 2932}, 1, 1,
			1904, 0, 100},
		{"100x1131/filters:focal(2500,1000):straighten(45)", Header{Width: 3000, Height: 2000}, Size{1697, 1131},
			Rect{}, Size{100, 1131}, 1, 1, 1506, 0, 100},
		{"100x1131/filters:focal(0.4x0.9:0.6x1):straighten(45)", Header{Width: 3000, Height: 2000}, Size{1697, 1131},
			Rect{}, Size{100, 1131}, 1, 1, 1435, 0, 100},
	} {
		h := c.header
		if h.Format == "" {
			h.Format = JPEG
		}
		if h.Width == 0 {
			h.Width, h.Height = 4000, 3000
		}
		h.Pages, h.Bands = 1, 3
		r, err := Parse("unsafe/" + c.path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(h, r.Operations, DefaultLimits(), PlanOptions{Writable: []Format{JPEG, PNG}})
		if err != nil {
			t.Fatal(err)
		}
		w := p.Window.Rect
		if p.Straighten.Keep != c.keep || p.Crop != c.crop || p.Result.Size() != c.result ||
			p.Load.Shrink != c.shrink ||
			p.Load.Box != c.box ||
			w.Left != c.left ||
			w.Top != c.top ||
			w.Width != c.right {
			t.Errorf(
				"%s: keeps %v, crops %v, makes %v, shrinks by %d and %d, window %v", c.path,
				p.Straighten.Keep, p.Crop, p.Result.Size(), p.Load.Shrink, p.Load.Box, w,
			)
		}
	}
}

// TestStraightenReaches straightens sources of all shapes that are decoded smaller or drawn larger: what is scaled lies
// in what was kept, not beyond it, where there would be nothing but its edges, repeated.
func TestStraightenReaches(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for range 3000 {
		h := Header{
			Format: []Format{JPEG, PNG, SVG}[r.IntN(3)],
			Width:  1 + r.IntN(1200),
			Height: 1 + r.IntN(40),
			Pages:  1,
			Bands:  3,
		}
		path := fmt.Sprintf("%dx0/filters:orient(%d):straighten(%d)", 1+r.IntN(300), r.IntN(4)*90, 1+r.IntN(45))
		p, err := planOf(t, path, h, Limits{})
		if err != nil {
			continue // it would be larger than any picture
		}
		const rounding = 1e-6
		part, kept := p.Part, p.Straighten.Keep
		if part.Left < -rounding || part.Top < -rounding || part.Left+part.Width > float64(kept.Width)+rounding ||
			part.Top+part.Height > float64(kept.Height)+rounding {
			t.Errorf("%s %dx%d, %s: scales %+v of %v", h.Format, h.Width, h.Height, path, part, kept)
		}
	}
}

// TestStraightenShares checks that pictures of two angles share what is decoded, and not what is placed.
func TestStraightenShares(t *testing.T) {
	plan := func(path string) Plan {
		r, err := Parse("unsafe/" + path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(
			Header{Format: PNG, Width: 4000, Height: 3000, Pages: 1, Bands: 3}, r.Operations, DefaultLimits(),
			PlanOptions{Writable: []Format{PNG}},
		)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	one := plan("300x/filters:straighten(1):preview()")
	if got := sharedBy(one, plan("300x/filters:straighten(2):preview()")); got != sharesDecoded {
		t.Errorf("two angles share %d, expected %d", got, sharesDecoded)
	}
	if got := sharedBy(one, plan("300x/filters:straighten(1):preview():blur(9)")); got != sharesPlaced {
		t.Errorf("one angle shares %d, expected %d", got, sharesPlaced)
	}
}
