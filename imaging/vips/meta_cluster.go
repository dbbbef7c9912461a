package vips

import (
	"cmp"
	"math"
	"slices"

	"github.com/safelight/safelight/imaging/oklab"
)

// maxRounds limits k-means in case it does not converge.
const maxRounds = 20

// medianCut returns the mean colours of at most n boxes that hold about as much of the picture:
// the box that is spread the most is cut at its median until there are n. P. Heckbert, Color Image
// Quantization for Frame Buffer Display, 1982; the spread is the variance, not the longest side.
func medianCut(all []swatch, n int) []swatch {
	if len(all) == 0 {
		return nil
	}
	boxes := []box{boxOf(slices.Clone(all))}
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

// halves cuts two or more swatches, which are not all of one colour, along the axis, where the second half of their
// weight begins. Neither half is empty. The halves are parts of the list, which is sorted.
func halves(list []swatch, axis int) (first, second []swatch) {
	slices.SortStableFunc(list, func(a, b swatch) int { return cmp.Compare(a.colour[axis], b.colour[axis]) })
	left := 0.0
	for n := range list {
		left += list[n].weight / 2
	}
	at := 0
	for at < len(list)-1 && left > 0 {
		left -= list[at].weight
		at++
	}
	return list[:at:at], list[at:]
}

// refined moves the centres to the means of the swatches that are nearest to them, until none moves: k-means after S.
// Lloyd, Least Squares Quantization in PCM, 1982. A centre to which nothing is nearest is dropped. A swatch that is
// nearer to its centre than half the distance to the next centre keeps it without comparing others: C. Elkan, Using
// the Triangle Inequality to Accelerate k-Means, 2003.
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
		best := int(nearest[n])
		if best >= len(centres) || s.colour.Squared(centres[best].colour) >= room[best] {
			best = 0
			least := math.Inf(1)
			for k := range centres {
				if d := s.colour.Squared(centres[k].colour); d < least {
					best, least = k, d
				}
			}
			if best != int(nearest[n]) {
				moved, nearest[n] = true, int32(best)
			}
		}
		next[best].add(*s)
	}
	return moved
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
