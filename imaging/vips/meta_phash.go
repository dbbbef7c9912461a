package vips

import (
	"fmt"
	gimage "image"
	"math"
	"slices"
)

// What a perceptual hash is made of.
const (
	phashSide  = 32 // pixels that the picture is squeezed to
	phashBand  = 8  // lowest frequencies a direction
	phashQuiet = 2  // a coefficient below it is a wave of 1/8 level: rounding, not picture
)

// perceptualHash returns the perceptual hash of the first frame as 16 hexadecimal digits. Pictures
// that look alike have hashes that differ in few of the 64 bits.
//
// The picture is squeezed to 32 x 32, laid over black, made grey (ITU-R BT.601) and put through
// the orthonormal two-dimensional DCT-II. Of the 8 x 8 coefficients of the lowest frequencies, row
// by row (v the vertical, u the horizontal frequency), coefficient n = 8v + u gives bit n from
// the left, which is 1 where the coefficient is above the median of all but the first. The first,
// n = 0, is the mean brightness and tells nothing: its bit is always 0. Coefficients within
// phashQuiet of 0 count as 0, so that flat and symmetrical pictures have steady hashes.
//
// After C. Zauner, Implementation and Benchmarking of Perceptual Image Hash Functions, 2010, 3.2.1.
func perceptualHash(s small) (string, error) {
	pixels, err := s.resized(phashSide, phashSide)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%016x", hashOf(lowFrequencies(greyOf(pixels)))), nil
}

// grey is the luma of the squeezed picture, row by row.
type grey [phashSide][phashSide]float64

func greyOf(pixels *gimage.NRGBA) (g grey) {
	for y := range phashSide {
		for x := range phashSide {
			p := pixels.Pix[pixels.PixOffset(x, y):]
			g[y][x] = 0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])
		}
	}
	return g
}

// lowFrequencies returns the first 8 x 8 coefficients of the DCT-II, row by row.
func lowFrequencies(g grey) (c [phashBand * phashBand]float64) {
	var wave [phashBand][phashSide]float64
	for u := range phashBand {
		scale := math.Sqrt(2.0 / phashSide)
		if u == 0 {
			scale = math.Sqrt(1.0 / phashSide)
		}
		for x := range phashSide {
			wave[u][x] = scale * math.Cos(float64(2*x+1)*float64(u)*math.Pi/(2*phashSide))
		}
	}
	for u := range phashBand {
		var rows [phashSide]float64
		for y := range phashSide {
			for x := range phashSide {
				rows[y] += g[y][x] * wave[u][x]
			}
		}
		for v := range phashBand {
			for y := range phashSide {
				c[phashBand*v+u] += rows[y] * wave[v][y]
			}
		}
	}
	return c
}

// hashOf compares the coefficients but the first with their median.
func hashOf(c [phashBand * phashBand]float64) (hash uint64) {
	for n := range c {
		if math.Abs(c[n]) < phashQuiet {
			c[n] = 0
		}
	}
	sorted := c // a copy
	slices.Sort(sorted[1:])
	median := sorted[1+(len(c)-1)/2]
	for n := 1; n < len(c); n++ {
		if c[n] > median {
			hash |= 1 << (len(c) - 1 - n)
		}
	}
	return hash
}
