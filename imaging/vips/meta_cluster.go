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
	boxes := []box{boxOf(all)}
	for len(boxes) < n {
		widest := 0
		for k, b := range boxes {
			if b.spread > boxes[widest].spread {
				widest = k
			}
		}
		b := boxes[widest]
		if b.spread == 0 {
			break // every box is one colour
		}
		first, second := halves(b.list, b.axis)
		boxes[widest] = boxOf(first)
		boxes = append(boxes, boxOf(second))
	}
	means := make([]swatch, len(boxes))
	for k, b := range boxes {
		means[k] = meanOf(b.list)
	}
	return means
}

// box is some swatches, with the axis along which they lie furthest from their mean, and the sum of the squares; 0 for a single one.
type box struct {
	list   []swatch
	axis   int
	spread float64
}

func boxOf(list []swatch) box {
	b := box{list: list}
	if len(list) < 2 {
		return b
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
		if sums[k] > b.spread {
			b.axis, b.spread = k, sums[k]
		}
	}
	return b
}

// meanOf returns the mean colour of the swatches and their weight together.
func meanOf(list []swatch) swatch {
	var sum total
	for _, s := range list {
		sum.add(s)
	}
	return sum.mean()
}

// total is the sum of swatches.
type total struct {
	colour oklab.Colour
	weight float64
}

func (t *total) add(s swatch) {
	for k := range s.colour {
		t.colour[k] += s.colour[k] * s.weight
	}
	t.weight += s.weight
}

func (t *total) mean() (s swatch) {
	s.weight = t.weight
	for k := range t.colour {
		s.colour[k] = t.colour[k] / max(t.weight, math.SmallestNonzeroFloat64)
	}
	return s
}

// halves cuts two or more swatches, which are not all of one colour, along the axis, where the second half of their weight begins in their order. Neither half is empty. Only
// the swatches about the median are sorted: the others are counted in slices.
func halves(list []swatch, axis int) (first, second []swatch) {
	const slicesOfAxis = 256
	low, high, half := math.Inf(1), math.Inf(-1), 0.0
	for _, s := range list {
		low, high = min(low, s.colour[axis]), max(high, s.colour[axis])
		half += s.weight / 2
	}
	if high <= low {
		return list[:1:1], list[1:]
	}
	slice := func(s swatch) int { return int((s.colour[axis] - low) / (high - low) * (slicesOfAxis - 1)) }
	var weights [slicesOfAxis]float64
	for _, s := range list {
		weights[slice(s)] += s.weight
	}
	middle, before := 0, 0.0
	for ; middle < slicesOfAxis-1 && before+weights[middle] < half; middle++ {
		before += weights[middle]
	}
	var about []swatch
	for _, s := range list {
		switch n := slice(s); {
		case n < middle:
			first = append(first, s)
		case n > middle:
			second = append(second, s)
		default:
			about = append(about, s)
		}
	}
	slices.SortStableFunc(about, func(a, b swatch) int { return cmp.Compare(a.colour[axis], b.colour[axis]) })
	at := 0
	for ; at < len(about); at++ {
		if before += about[at].weight; before >= half {
			at++
			break
		}
	}
	if len(second) == 0 {
		at = min(at, len(about)-1)
	}
	return append(first, about[:at]...), append(slices.Clone(about[at:]), second...)
}

// refined moves the centres to the means of the swatches that are nearest to them, until none
// moves: k-means after S. Lloyd, Least Squares Quantization in PCM, 1982. A centre to which nothing
// is nearest is dropped. A swatch that is nearer to its centre than half the way to the next centre stays without a look at the others: C. Elkan, Using the
// Triangle Inequality to Accelerate k-Means, 2003.
func refined(all, centres []swatch) []swatch {
	nearest := make([]int, len(all))
	for range maxRounds {
		moved := false
		next, room := make([]total, len(centres)), roomOf(centres)
		for n, s := range all {
			best := nearest[n]
			if best >= len(centres) || s.colour.Squared(centres[best].colour) >= room[best] {
				best = nearestOf(s, centres)
			}
			moved = moved || nearest[n] != best
			nearest[n] = best
			next[best].add(s)
		}
		centres = centres[:0:0]
		for _, t := range next {
			if t.weight > 0 {
				centres = append(centres, t.mean())
			}
		}
		if !moved {
			break
		}
	}
	return centres
}

func nearestOf(s swatch, centres []swatch) (best int) {
	least := math.Inf(1)
	for k, c := range centres {
		if d := s.colour.Squared(c.colour); d < least {
			best, least = k, d
		}
	}
	return best
}

// roomOf returns the squares of half the distances from each centre to the next.
func roomOf(centres []swatch) []float64 {
	room := make([]float64, len(centres))
	for k := range centres {
		room[k] = math.Inf(1)
		for n := range centres {
			if n != k {
				room[k] = min(room[k], centres[k].colour.Squared(centres[n].colour)/4)
			}
		}
	}
	return room
}
