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
	room := make([]swatch, 2*len(all))
	boxes, spare := []box{boxOf(room[:copy(room, all)])}, room[len(all):]
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
		first, second := halves(b.list, b.axis, spare)
		boxes[widest] = boxOf(first)
		boxes = append(boxes, boxOf(second))
	}
	means := make([]swatch, len(boxes))
	for k, b := range boxes {
		means[k] = meanOf(b.list)
	}
	return means
}

// box is some swatches, with the axis along which they lie furthest from their mean, and the sum of the squares; 0 for
// a single one.
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
	mean := meanOf(list).colour
	var sums oklab.Colour
	for n := range list {
		s := &list[n]
		x, y, z := s.colour[0]-mean[0], s.colour[1]-mean[1], s.colour[2]-mean[2]
		sums[0] += s.weight * x * x
		sums[1] += s.weight * y * y
		sums[2] += s.weight * z * z
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
	var x, y, z, weight float64
	for n := range list {
		s := &list[n]
		x += s.colour[0] * s.weight
		y += s.colour[1] * s.weight
		z += s.colour[2] * s.weight
		weight += s.weight
	}
	sum := total{oklab.Colour{x, y, z}, weight}
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

// halves cuts two or more swatches, which are not all of one colour, along the axis, where the second half of their
// weight begins in their order. Neither half is empty. Only the swatches about the median are sorted: the others are
// counted in slices. The halves are parts of the list, whose order changes; spare has room for as many swatches.
func halves(list []swatch, axis int, spare []swatch) (first, second []swatch) {
	low, high, half := math.Inf(1), math.Inf(-1), 0.0
	for n := range list {
		s := &list[n]
		low, high = min(low, s.colour[axis]), max(high, s.colour[axis])
		half += s.weight / 2
	}
	if high <= low {
		return list[:1:1], list[1:]
	}
	cut := axisCut{axis: axis, low: low, length: high - low}
	cut.find(list, half)
	from, to := cut.order(list, spare[:len(list)])
	about := spare[from:to]
	slices.SortStableFunc(about, func(a, b swatch) int { return cmp.Compare(a.colour[axis], b.colour[axis]) })
	at := 0
	for before := cut.before; at < len(about); at++ {
		if before += about[at].weight; before >= half {
			at++
			break
		}
	}
	if to == len(list) {
		at = min(at, len(about)-1)
	}
	copy(list, spare)
	return list[: from+at : from+at], list[from+at:]
}

// slicesOfAxis is how many slices of one width an axis has.
const slicesOfAxis = 256

// axisCut finds the slice of an axis in which the median is.
type axisCut struct {
	axis        int
	low, length float64
	middle      int
	before      float64 // the weight of the slices below
}

func (c *axisCut) slice(s *swatch) int {
	return int((s.colour[c.axis] - c.low) / c.length * (slicesOfAxis - 1))
}

// find sets the slice in which half of the weight is reached.
func (c *axisCut) find(list []swatch, half float64) {
	var weights [slicesOfAxis]float64
	for n := range list {
		weights[c.slice(&list[n])] += list[n].weight
	}
	for ; c.middle < slicesOfAxis-1 && c.before+weights[c.middle] < half; c.middle++ {
		c.before += weights[c.middle]
	}
}

// order writes the swatches below the middle slice, those in it, from one number to the other, and those above.
func (c *axisCut) order(list, out []swatch) (from, to int) {
	for n := range list {
		switch at := c.slice(&list[n]); {
		case at < c.middle:
			from++
		case at == c.middle:
			to++
		}
	}
	to += from
	below, in, above := 0, from, to
	for n := range list {
		at := &above
		if s := c.slice(&list[n]); s < c.middle {
			at = &below
		} else if s == c.middle {
			at = &in
		}
		out[*at] = list[n]
		*at++
	}
	return from, to
}

// refined moves the centres to the means of the swatches that are nearest to them, until none moves: k-means after S.
// Lloyd, Least Squares Quantization in PCM, 1982. A centre to which nothing is nearest is dropped. A swatch that is
// nearer to its centre than half the way to the next centre stays without a look at the others: C. Elkan, Using the
// Triangle Inequality to Accelerate k-Means, 2003.
func refined(all, centres []swatch) []swatch {
	nearest := make([]int32, len(all))
	for range maxRounds {
		next := make([]total, len(centres))
		moved := assign(all, centres, nearest, next)
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

// assign finds the centre of each swatch, and adds the swatch to its sum. It reports whether one has another centre
// than before.
func assign(all, centres []swatch, nearest []int32, next []total) (moved bool) {
	room := roomOf(centres)
	for n := range all {
		s := &all[n]
		x, y, z := s.colour[0], s.colour[1], s.colour[2]
		best := int(nearest[n])
		if best >= len(centres) || squared(x, y, z, &centres[best].colour) >= room[best] {
			best = 0
			least := math.Inf(1)
			for k := range centres {
				if d := squared(x, y, z, &centres[k].colour); d < least {
					best, least = k, d
				}
			}
			if best != int(nearest[n]) {
				moved, nearest[n] = true, int32(best)
			}
		}
		t := &next[best]
		t.colour[0] += x * s.weight
		t.colour[1] += y * s.weight
		t.colour[2] += z * s.weight
		t.weight += s.weight
	}
	return moved
}

// squared is oklab.Colour.Squared without copies.
func squared(x, y, z float64, c *oklab.Colour) float64 {
	x, y, z = x-c[0], y-c[1], z-c[2]
	return x*x + y*y + z*z
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
