package bitmaps

import (
	"math/rand/v2"
	"testing"
)

// TestSet encodes sets of every density, scattered and in runs, and decodes them.
func TestSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := map[byte]int{}
	for _, share := range []float64{0, 0.00002, 0.001, 0.01, 0.05, 0.1, 0.5, 0.9, 0.999, 1} {
		for _, run := range []int{1, 3, 100, BlockSize} {
			var want Set
			var places []uint16
			for at := 0; at < BlockSize; at += run {
				if random.Float64() >= share {
					continue
				}
				for i := at; i < min(at+run, BlockSize); i++ {
					want.Add(uint16(i))
					places = append(places, uint16(i))
				}
			}
			b := encode(places)
			var got Set
			if err := got.Decode(b); err != nil || got != want || got.Len() != len(places) {
				t.Errorf("of %d places in runs of %d, %d bytes: %d came back, %v", len(places), run, len(b), got.Len(), err)
			}
			if len(b) > min(2*len(places), BlockSize/8)+1 {
				t.Errorf("%d places in runs of %d take %d bytes", len(places), run, len(b))
			}
			if len(b) > 0 {
				kinds[b[0]]++
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("encodings %v, expected all three", kinds)
	}
	for _, wrong := range [][]byte{{0}, {4, 1}, {encodedPlaces, 1}, {encodedRuns, 1, 2}, {encodedBits, 1}} {
		if err := new(Set).Decode(wrong); err == nil {
			t.Errorf("% x was decoded", wrong)
		}
	}
}

// TestAlgebra compares the operations of sets with those of numbers.
func TestAlgebra(t *testing.T) {
	var a, b Set
	for i := range BlockSize {
		if i%2 == 0 {
			a.Add(uint16(i))
		}
		if i%3 == 0 {
			b.Add(uint16(i))
		}
	}
	for what, c := range map[string]struct {
		do   func(*Set, *Set)
		want func(two, three bool) bool
	}{
		"and":     {(*Set).And, func(two, three bool) bool { return two && three }},
		"or":      {(*Set).Or, func(two, three bool) bool { return two || three }},
		"and not": {(*Set).AndNot, func(two, three bool) bool { return two && !three }},
	} {
		s, n := a, 0
		c.do(&s, &b)
		for i := range BlockSize {
			if c.want(i%2 == 0, i%3 == 0) {
				n++
				s.Remove(uint16(i))
			}
		}
		if n == 0 || s.Len() != 0 {
			t.Errorf("%s: %d places differ", what, s.Len())
		}
	}
}
