package oklab

import (
	"math"
	"testing"

	"github.com/safelight/safelight/imaging"
)

func rgb(c [3]uint8) imaging.RGB { return imaging.RGB{R: c[0], G: c[1], B: c[2]} }

func TestOKLab(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-4 }
	for c, want := range map[[3]uint8]Colour{
		{0, 0, 0}: {}, {255, 255, 255}: {1, 0, 0}, {255, 0, 0}: {0.62796, 0.22486, 0.12585},
		{0, 255, 0}: {0.86644, -0.23389, 0.17950},
		{0, 0, 255}: {0.45201, -0.03246, -0.31153}, {10, 10, 10}: {0.14480, 0, 0},
	} {
		if got := Of(rgb(c)); !near(got[0], want[0]) || !near(got[1], want[1]) || !near(got[2], want[2]) {
			t.Errorf("%v: %.5f, expected %.5f", c, got, want)
		}
	}
	for r := 0; r < 256; r += 15 {
		for g := range 17 {
			for b := 0; b < 256; b += 5 {
				c := rgb([3]uint8{uint8(r), uint8(g * 15), uint8(b)})
				if got := Of(c).RGB(); got != c {
					t.Fatalf("%v comes back as %v", c, got)
				}
			}
		}
	}
	if got := (Colour{2, 0, 0}).RGB(); got != (rgb([3]uint8{255, 255, 255})) {
		t.Errorf("what is brighter than white: %v", got)
	}
	if grey, red := Of(rgb([3]uint8{90, 90, 90})).Chroma(), Of(rgb([3]uint8{255, 0, 0})).Chroma(); !near(grey, 0) ||
		!near(red, 0.25768) {
		t.Errorf("the chroma of grey is %v, of red %v", grey, red)
	}
	if got := (Colour{3, 2, 1}).Squared(Colour{1, 5, 7}); got != 49 {
		t.Errorf("the squared distance is %v, expected 49", got)
	}
}

// TestOfChannels checks that a color between two is between theirs, and a whole one the same.
func TestOfChannels(t *testing.T) {
	for n := range 1 << 15 {
		c := rgb([3]uint8{uint8(n>>10) * 8, uint8(n>>5&31) * 8, uint8(n&31) * 8})
		low, high := Of(c), Of(imaging.RGB{R: c.R + 1, G: c.G + 1, B: c.B + 1})
		if got := OfChannels(float64(c.R), float64(c.G), float64(c.B)); got != low {
			t.Fatalf("%v: %v, expected %v", c, got, low)
		}
		got := OfChannels(float64(c.R)+0.5, float64(c.G)+0.5, float64(c.B)+0.5)
		if got[0] <= low[0] || got[0] >= high[0] || got.Squared(low) > low.Squared(high) {
			t.Fatalf("%v and a half: %v, expected it between %v and %v", c, got, low, high)
		}
	}
	if got, want := OfChannels(255, 255, 255), Of(rgb([3]uint8{255, 255, 255})); got != want {
		t.Errorf("white: %v, expected %v", got, want)
	}
}
