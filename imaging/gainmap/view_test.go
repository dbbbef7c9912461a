package gainmap

import (
	"math"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestGainMapView follows points of the result back to the source as stored.
func TestGainMapView(t *testing.T) {
	photo := imaging.Header{
		Format:      imaging.JPEG,
		Width:       4000,
		Height:      3000,
		Pages:       1,
		Bands:       3,
		Depth:       8,
		Orientation: 1,
		GainMap:     imaging.GainMap{Width: 1000, Height: 750, Bands: 1, Bytes: 100_000},
	}
	oriented := func(n int) imaging.Header { h := photo; h.Orientation = n; return h }
	type point struct{ x, y float64 }
	for _, c := range []struct {
		path   string
		header imaging.Header
		first  point // of the source, at the top left of the result
		last   point // at the bottom right
		right  point // at the top right
	}{
		{"400x300", photo, point{0, 0}, point{1, 1}, point{1, 0}},
		{"filters:orient(90)", photo, point{1, 0}, point{0, 1}, point{1, 1}},
		{"filters:rotate(90)", photo, point{1, 0}, point{0, 1}, point{1, 1}},
		{"filters:rotate(270)", photo, point{0, 1}, point{1, 0}, point{0, 0}},
		{"filters:rotate(180)", photo, point{1, 1}, point{0, 0}, point{0, 1}},
		{"-400x-300", photo, point{1, 1}, point{0, 0}, point{0, 1}},
		{"-400x300", photo, point{1, 0}, point{0, 1}, point{0, 0}},
		{"0.25x0.5:0.75x1/200x150", photo, point{0.25, 0.5}, point{0.75, 1}, point{0.75, 0.5}},
		{"400x400/left/top", photo, point{0, 0}, point{0.75, 1}, point{0.75, 0}},
		{"filters:crop(1000,750,2000,1500)", photo, point{0.25, 0.25}, point{0.75, 0.75}, point{0.75, 0.25}},
		{"filters:rotate(90):crop(0,0,1500,1000)", photo, point{1, 0}, point{0.75, 0.5}, point{1, 0.5}},
		{"300x400", oriented(6), point{0, 1}, point{1, 0}, point{0, 0}},
		{"300x400", oriented(8), point{1, 0}, point{0, 1}, point{1, 1}},
		{"300x400", oriented(5), point{0, 0}, point{1, 1}, point{0, 1}},
		{"400x300", oriented(2), point{1, 0}, point{0, 1}, point{0, 0}},
		{"400x300", oriented(4), point{0, 1}, point{1, 0}, point{1, 1}},
		{"0x0:0.5x1/filters:sharpen(1):proportion(50):quality(auto)", oriented(6), point{0, 1}, point{1, 0.5},
			point{0, 0.5}},
	} {
		p, err := planOf(t, c.path, c.header)
		if err != nil {
			t.Fatal(err)
		}
		v, ok := ViewOf(p)
		at := func(u, w float64) point {
			if v.Swapped {
				u, w = w, u
			}
			return point{v.X.Start + v.X.Length*u, v.Y.Start + v.Y.Length*w}
		}
		near := func(a, b point) bool { return math.Abs(a.x-b.x) < 0.003 && math.Abs(a.y-b.y) < 0.003 }
		if !ok || !near(at(0, 0), c.first) || !near(at(1, 1), c.last) || !near(at(1, 0), c.right) {
			t.Errorf(
				"%s of orientation %d: %v %v %v %v, expected %v", c.path, c.header.Orientation, ok, at(0, 0),
				at(1, 1), at(1, 0), c,
			)
		}
	}
	plain := photo
	plain.GainMap = imaging.GainMap{}
	if p, _ := planOf(t, "400x300", plain); keeps(p) {
		t.Error("a file without a map keeps a gain map")
	}
	for _, path := range []string{"filters:brightness(5)", "filters:blur(2)", "filters:strip_metadata()",
		"filters:straighten(3)", "filters:preview()", "filters:padding(red,3)",
		"filters:text(Sea)", "filters:to_colorspace(cmyk)", "fit-in/400x400/filters:fill(red)"} {
		if p, err := planOf(t, path, photo); err != nil || keeps(p) {
			t.Errorf("%s keeps a gain map", path)
		}
	}
}

func keeps(p imaging.Plan) bool {
	_, ok := ViewOf(p)
	return ok
}

func planOf(t *testing.T, path string, h imaging.Header) (imaging.Plan, error) {
	t.Helper()
	r, err := imaging.Parse("unsafe/" + path + "/x")
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return imaging.NewPlan(
		h, r.Operations, imaging.Limits{}, imaging.PlanOptions{Writable: []imaging.Format{imaging.JPEG}},
	)
}
