package vips

import (
	"cmp"
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

// TestHalves compares with sorting all swatches.
func TestHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		list, axis := swatches(r, 2+r.IntN(60)), r.IntN(3)
		if boxOf(list).spread == 0 {
			continue
		}
		first, second := halves(list, axis, make([]swatch, len(list)))
		sorted := slices.Clone(list)
		slices.SortStableFunc(sorted, func(a, b swatch) int { return cmp.Compare(a.colour[axis], b.colour[axis]) })
		half, sum, at := meanOf(list).weight/2, 0.0, len(list)-1
		for n, s := range sorted[:len(sorted)-1] {
			if sum += s.weight; sum >= half {
				at = n + 1
				break
			}
		}
		in := func(list []swatch) []swatch {
			list = slices.Clone(list)
			slices.SortFunc(list, func(a, b swatch) int {
				return cmp.Or(
					cmp.Compare(a.colour[0], b.colour[0]), cmp.Compare(a.colour[1], b.colour[1]),
					cmp.Compare(a.colour[2], b.colour[2]), cmp.Compare(a.weight, b.weight),
				)
			})
			return list
		}
		if !reflect.DeepEqual(in(first), in(sorted[:at])) || !reflect.DeepEqual(in(second), in(sorted[at:])) {
			t.Fatalf(
				"%d swatches along axis %d: %d and %d, expected %d and %d", len(list), axis, len(first),
				len(second), at, len(list)-at,
			)
		}
	}
	same := []swatch{{oklab.Colour{0.5}, 1}, {oklab.Colour{0.5}, 2}}
	if first, second := halves(same, 0, make([]swatch, 2)); len(first) != 1 || len(second) != 1 {
		t.Errorf("two of one color: %v and %v", first, second)
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
