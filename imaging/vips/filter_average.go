package vips

// #include "filter.h"
import "C"

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// averageColour returns the mean of the first frame in sRGB; transparent pixels count as lying
// over black.
func averageColour(i *image) (imaging.RGB, error) {
	first, err := i.frame(0)
	if err != nil {
		return imaging.RGB{}, err
	}
	defer first.close()
	flat, err := first.flatten(imaging.Colour{A: 255})
	if err != nil {
		return imaging.RGB{}, err
	}
	defer flat.close()
	var means [4]C.double
	if C.sl_means(flat.v, &means[0]) != 0 {
		return imaging.RGB{}, vipsError()
	}
	if flat.bands() < 3 { // grey
		means[1], means[2] = means[0], means[0]
	}
	byteOf := func(v C.double) uint8 { return uint8(math.Round(min(max(float64(v), 0), 255))) }
	return imaging.RGB{R: byteOf(means[0]), G: byteOf(means[1]), B: byteOf(means[2])}, nil
}
