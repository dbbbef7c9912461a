package bitmaps

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestColumn compares the places of ranges with those that plain comparison finds: none is missing, and few are unsure.
func TestColumn(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for name, next := range map[string]func() int64{
		"times":  func() int64 { return random.Int64N(math.MaxInt64) - math.MaxInt64/2 },
		"widths": func() int64 { return []int64{0, 1024, 1920, 4000, 6000}[random.IntN(5)] },
		"mixed":  func() int64 { return []int64{7, random.Int64N(1000), math.MaxInt64, math.MinInt64}[random.IntN(4)] },
	} {
		var list []valued
		for at := range BlockSize {
			if random.IntN(3) > 0 {
				list = append(list, valued{next(), uint16(at)})
			}
		}
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		b, exact := encodeColumn(slices.Clone(list), false), encodeColumn(slices.Clone(list), true)
		for range 50 {
			low, high := list[random.IntN(len(list))].value, list[random.IntN(len(list))].value
			if random.IntN(4) == 0 {
				low, high = Least, high+random.Int64N(3)
			}
			var m, same match
			must(t, m.decode(b, low, high))
			must(t, same.decodeAny(exact, map[int64]bool{low: true, high: true}))
			unsure := 0
			for _, v := range list {
				want := v.value >= low && v.value <= high
				sure, may := m.sure.has(v.at), m.may.has(v.at)
				if want && !may || !want && sure || sure && !may {
					t.Fatalf("%s: %d from %d to %d: sure %v, may %v", name, v.value, low, high, sure, may)
				}
				if may && !sure {
					unsure++
				}
				if want := v.value == low || v.value == high; same.sure.has(v.at) != want || same.may.has(v.at) != want {
					t.Fatalf("%s: %d among %d and %d: %v, expected %v", name, v.value, low, high, same.sure.has(v.at), want)
				}
			}
			if unsure > 2*(chunkSize+sameSize) || name == "widths" && unsure > 0 {
				t.Errorf("%s: %d places are unsure", name, unsure)
			}
		}
	}
}

// TestColours compares the places of balls with the distances of colours: none is missing, and few are unsure.
func TestColours(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	labs, list := make([][3]float64, BlockSize), make([]uint64, BlockSize)
	for at := range list {
		labs[at] = [3]float64{random.Float64(), random.Float64()*0.8 - 0.4, random.Float64()*0.8 - 0.4}
		switch at % 100 {
		case 0:
			labs[at] = [3]float64{1, 0, 0}
		case 1:
			labs[at] = [3]float64{0, 0, 0}
		case 2:
			labs[at] = [3]float64{1.2, 0.7, -0.7}
		case 3:
			labs[at] = [3]float64{0.5, 1.1, 0.3} // outside of all cells
		}
		list[at] = cell(labs[at])
		if at%50 == 7 {
			list[at] = noColour
		}
	}
	b := encodeColours(list)
	for i, ball := range []Ball{{[3]float64{0.5, 0, 0}, 0.3}, {[3]float64{0.7, 0.1, -0.1}, 0.1}, {[3]float64{1, 0, 0}, 0.2}, {[3]float64{0, 0, 0}, 0}, {[3]float64{0.5, 0.3, 0.3}, 1}} {
		var m match
		must(t, ball.decode(&m, b))
		unsure := 0
		for at, lab := range labs {
			sum := 0.0
			for axis, v := range lab {
				sum += (v - ball.Centre[axis]) * (v - ball.Centre[axis])
			}
			want := sum <= ball.Within*ball.Within && list[at] != noColour
			sure, may := m.sure.has(uint16(at)), m.may.has(uint16(at))
			if want && !may || !want && sure || sure && !may {
				t.Fatalf("ball %d: %v: sure %v, may %v, expected %v", i, lab, sure, may, want)
			}
			if may && !sure {
				unsure++
			}
		}
		if unsure > max(m.may.Len()/50, 1400) {
			t.Errorf("ball %d: %d of %d are unsure", i, unsure, m.may.Len())
		}
	}
}

// FuzzColumn decodes bytes that no server of this version wrote: an error, or some places.
func FuzzColumn(f *testing.F) {
	f.Add(encodeColumn([]valued{{1, 2}, {1, 3}, {5, 4}}, false))
	f.Add(encodeColours([]uint64{5, noColour, elsewhere}))
	f.Add([]byte{encodedColumn, 2, 0, 200, 200, 200, 200, 200, 200, 200, 200, 200, 1})
	f.Fuzz(func(_ *testing.T, b []byte) {
		var m match
		_ = m.decode(b, -5, 5)
		_ = m.decodeAny(b, map[int64]bool{1: true})
		_ = Ball{Within: 0.1}.decode(&m, b)
	})
}
