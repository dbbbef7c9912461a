package imaging

import (
	"math"
	"testing"
)

func TestOKLab(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-4 }
	for c, want := range map[RGB]OKLab{
		{0, 0, 0}: {}, {255, 255, 255}: {1, 0, 0}, {255, 0, 0}: {0.62796, 0.22486, 0.12585}, {0, 255, 0}: {0.86644, -0.23389, 0.17950},
		{0, 0, 255}: {0.45201, -0.03246, -0.31153}, {10, 10, 10}: {0.14480, 0, 0},
	} {
		if got := OKLabOf(c); !near(got[0], want[0]) || !near(got[1], want[1]) || !near(got[2], want[2]) {
			t.Errorf("%v: %.5f, expected %.5f", c, got, want)
		}
	}
	for r := 0; r < 256; r += 15 {
		for g := range 17 {
			for b := 0; b < 256; b += 5 {
				c := RGB{uint8(r), uint8(g * 15), uint8(b)}
				if got := OKLabOf(c).RGB(); got != c {
					t.Fatalf("%v comes back as %v", c, got)
				}
			}
		}
	}
	if got := (OKLab{2, 0, 0}).RGB(); got != (RGB{255, 255, 255}) {
		t.Errorf("what is brighter than white: %v", got)
	}
	if grey, red := OKLabOf(RGB{90, 90, 90}).Chroma(), OKLabOf(RGB{255, 0, 0}).Chroma(); !near(grey, 0) || !near(red, 0.25768) {
		t.Errorf("the chroma of grey is %v, of red %v", grey, red)
	}
	if got := (OKLab{3, 2, 1}).Squared(OKLab{1, 5, 7}); got != 49 {
		t.Errorf("the squared distance is %v, expected 49", got)
	}
}

func TestQualityScale(t *testing.T) {
	s := QualityScale{{10, 5}, {50, 25}, {90, 85}}
	for quality, want := range map[int]int{1: 1, 5: 3, 10: 5, 30: 15, 50: 25, 51: 27, 70: 55, 90: 85, 95: 95} {
		if got := s.At(quality); got != want {
			t.Errorf("%d becomes %d, expected %d", quality, got, want)
		}
	}
	if got := (QualityScale{{1, 20}, {100, 60}}).At(1); got != 20 {
		t.Errorf("the lowest quality becomes %d, expected 20", got)
	}
	for _, f := range Formats() {
		for last, quality := 0, 1; quality <= 100 && f.Quality > 0; quality++ {
			at := f.QualityScale.At(quality)
			if at < last || at < 1 || at > 100 || quality == DefaultQuality && at != f.Quality {
				t.Errorf("%s: %d becomes %d after %d", f.Format, quality, at, last)
			}
			last = at
		}
	}
}
