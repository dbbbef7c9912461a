package vips

import (
	"math"
	"testing"
)

// wave is a grey picture that is one wave of the DCT.
func wave(u, v int, height float64) (g grey) {
	for y := range phashSide {
		for x := range phashSide {
			g[y][x] = 128 + height*math.Cos(float64(2*x+1)*float64(u)*math.Pi/64)*
				math.Cos(float64(2*y+1)*float64(v)*math.Pi/64)
		}
	}
	return g
}

// TestLowFrequencies checks that a wave is seen at its place, with its height, and nowhere else.
func TestLowFrequencies(t *testing.T) {
	for v := range phashBand {
		for u := range phashBand {
			if u+v == 0 {
				continue
			}
			c := lowFrequencies(wave(u, v, 10))
			want := 10.0 * 16
			if u == 0 || v == 0 {
				want *= math.Sqrt2
			}
			c[0] -= 128 * 32 // the mean
			for n, got := range c {
				if n == 8*v+u {
					got -= want
				}
				if math.Abs(got) > 1e-6 {
					t.Fatalf("wave %d,%d: coefficient %d is off by %v", u, v, n, got)
				}
			}
			if got := hashOf(c); got != 1<<(63-(8*v+u)) {
				t.Errorf("wave %d,%d: hash %016x", u, v, got)
			}
		}
	}
}

func TestHashOf(t *testing.T) {
	var c [64]float64
	c[0] = 4000
	if got := hashOf(c); got != 0 {
		t.Errorf("flat: %016x", got)
	}
	for n := 1; n < 64; n++ {
		c[n] = phashQuiet * 0.9 * float64(n%3-1)
	}
	if got := hashOf(c); got != 0 {
		t.Errorf("nearly flat: %016x", got)
	}
	for n := 1; n < 64; n++ {
		c[n] = float64(10 * n) // the median is at 32, so 33 to 63 are above it
	}
	if got := hashOf(c); got != 1<<31-1 {
		t.Errorf("rising: %016x", got)
	}
}
