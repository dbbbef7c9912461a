package vips

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/safelight/safelight/imaging/oklab"
)

// swatches returns that many at random, some of which are alike along an axis.
func swatches(r *rand.Rand, n int) []swatch {
	list := make([]swatch, n)
	for k := range list {
		list[k] = swatch{
			oklab.Colour{r.Float64(), float64(r.IntN(5)) / 10, r.NormFloat64() / 9},
			1 + float64(r.IntN(300)),
		}
	}
	return list
}

// TestHalves checks that the first half is the least number of swatches, by their order along the axis, that have half
// of the weight.
func TestHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		list, axis := swatches(r, 2+r.IntN(60)), r.IntN(3)
		count, half := len(list), meanOf(list).weight/2
		first, second := halves(list, axis)
		if len(first) == 0 || len(second) == 0 || len(first)+len(second) != count {
			t.Fatalf("%d and %d of %d swatches", len(first), len(second), count)
		}
		if last := first[len(first)-1]; last.colour[axis] > second[0].colour[axis] {
			t.Fatalf("%v is in the first half, %v in the second", last, second[0])
		}
		if before := meanOf(first[:len(first)-1]).weight; before >= half ||
			meanOf(first).weight < half && len(second) > 1 {
			t.Fatalf("%g and %g of %g", before, meanOf(first).weight, 2*half)
		}
	}
}

// TestRefinedLooksAtAll compares with a search among all centers for each swatch.
func TestRefinedLooksAtAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		all := swatches(r, 5+r.IntN(200))
		before := slices.Clone(all)
		centres := medianCut(all, 2+r.IntN(8))
		if !slices.Equal(all, before) {
			t.Fatal("median cut has changed the order of the swatches, in which sums are added up")
		}
		got := refined(all, centres)
		nearest := make([]int, len(all))
		for range maxRounds {
			moved, next := false, make([]total, len(centres))
			for n, s := range all {
				best := nearestOf(&s, centres)
				moved = moved || nearest[n] != best
				nearest[n] = best
				next[best].add(s)
			}
			centres = nil
			for _, sum := range next {
				if sum.weight > 0 {
					centres = append(centres, sum.mean())
				}
			}
			if !moved {
				break
			}
		}
		if !reflect.DeepEqual(got, centres) {
			t.Fatalf("%d swatches: %v, expected %v", len(all), got, centres)
		}
	}
}

// nearestOf is the first of the nearest centers.
func nearestOf(s *swatch, centres []swatch) (best int) {
	least := math.Inf(1)
	for k, c := range centres {
		if d := s.colour.Squared(c.colour); d < least {
			best, least = k, d
		}
	}
	return best
}
