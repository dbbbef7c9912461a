package vips

import (
	"cmp"
	"math"
	"slices"

	"github.com/safelight/safelight/imaging/oklab"
)

// maxRounds ends k-means where it does not settle by itself.
const maxRounds = 20

// medianCut returns the mean colours of at most n boxes that hold about as much of the picture:
// the box that is spread the most is cut at its median until there are n. P. Heckbert, Color Image
// Quantization for Frame Buffer Display, 1982; the spread is the variance, not the longest side.
func medianCut(all []swatch, n int) []swatch {
	if len(all) == 0 {
		return nil
	}
	boxes := [][]swatch{slices.Clone(all)}
	for len(boxes) < n {
		widest, axis, most := 0, 0, 0.0
		for k, b := range boxes {
			if a, spread := spreadOf(b); spread > most {
				widest, axis, most = k, a, spread
			}
		}
		if most == 0 {
			break // every box is one colour
		}
		at := halve(boxes[widest], axis)
		boxes = append(boxes, boxes[widest][at:])
		boxes[widest] = boxes[widest][:at]
	}
	means := make([]swatch, len(boxes))
	for k, b := range boxes {
		means[k] = meanOf(b)
	}
	return means
}

// meanOf returns the mean colour of the swatches and their weight together.
func meanOf(list []swatch) (mean swatch) {
	for _, s := range list {
		mean = mean.mix(s)
	}
	return mean
}

// spreadOf returns the axis along which the swatches lie furthest from their mean, and the sum of
// the squares; 0 for a single one.
func spreadOf(list []swatch) (axis int, spread float64) {
	if len(list) < 2 {
		return 0, 0
	}
	mean := meanOf(list)
	var sums oklab.Colour
	for _, s := range list {
		for k := range sums {
			d := s.colour[k] - mean.colour[k]
			sums[k] += s.weight * d * d
		}
	}
	for k := range sums {
		if sums[k] > spread {
			axis, spread = k, sums[k]
		}
	}
	return axis, spread
}

// halve sorts two or more swatches along the axis, and returns where the second half of their
// weight begins; neither half is empty.
func halve(list []swatch, axis int) int {
	slices.SortStableFunc(list, func(a, b swatch) int { return cmp.Compare(a.colour[axis], b.colour[axis]) })
	half, sum := meanOf(list).weight/2, 0.0
	for n, s := range list[:len(list)-1] {
		if sum += s.weight; sum >= half {
			return n + 1
		}
	}
	return len(list) - 1
}

// refined moves the centres to the means of the swatches that are nearest to them, until none
// moves: k-means after S. Lloyd, Least Squares Quantization in PCM, 1982. A centre to which nothing
// is nearest is dropped.
func refined(all, centres []swatch) []swatch {
	nearest := make([]int, len(all))
	for range maxRounds {
		moved := false
		next := make([]swatch, len(centres))
		for n, s := range all {
			best, least := 0, math.Inf(1)
			for k, c := range centres {
				if d := s.colour.Squared(c.colour); d < least {
					best, least = k, d
				}
			}
			moved = moved || nearest[n] != best
			nearest[n] = best
			next[best] = next[best].mix(s)
		}
		centres = slices.DeleteFunc(next, func(s swatch) bool { return s.weight == 0 })
		if !moved {
			break
		}
	}
	return centres
}
