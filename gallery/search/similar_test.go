package search

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestGroups(t *testing.T) {
	const h = 0x0123_4567_89ab_cdef
	for _, c := range []struct {
		name     string
		pictures []Picture
		want     [][]int
	}{
		{"none", nil, nil},
		{"one alone", []Picture{{1, h, 1}}, nil},
		{"copies of the same bytes are duplicates", []Picture{{1, h, 7}, {2, h, 7}}, nil},
		{"a copy and another size", []Picture{{1, h, 7}, {2, h, 7}, {3, h, 8}}, [][]int{{1, 2, 3}}},
		{"three bits in three quarters", []Picture{{5, h, 1}, {2, h ^ 1 ^ 1<<20 ^ 1<<40, 2}}, [][]int{{2, 5}}},
		{"four bits", []Picture{{1, h, 1}, {2, h ^ 0xf, 2}}, nil},
		{"neighbors of neighbors", []Picture{{1, h, 1}, {2, h ^ 7, 2}, {3, h ^ 7 ^ 7<<50, 3}}, [][]int{{1, 2, 3}}},
		{"flat pictures", []Picture{{1, 0, 1}, {2, 0, 2}, {3, 0x7f, 3}, {4, 0x7f, 4}}, nil},
		{"in the order of the first ids", []Picture{{9, ^uint64(h), 1}, {4, ^uint64(h), 2}, {3, h, 3}, {8, h, 4}},
			[][]int{{3, 8}, {4, 9}}},
	} {
		if got := GroupSimilar(c.pictures); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, got, c.want)
		}
	}
}

// TestCommonQuarter checks that pictures whose quarter is very common are found by another quarter.
func TestCommonQuarter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pictures := []Picture{{1, 0xffff_0000_0000_0000, 1}, {2, 0xffff_0000_0000_0001, 2}}
	for i := range 2 * maxQuarter {
		pictures = append(pictures, Picture{10 + i, 0xffff<<48 | r.Uint64()>>16, uint64(i)})
	}
	if got := GroupSimilar(pictures); len(got) == 0 || !reflect.DeepEqual(got[0], []int{1, 2}) {
		t.Errorf("%v", got)
	}
}

func BenchmarkGroups(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	pictures := make([]Picture, 100_000)
	for i := range pictures {
		pictures[i] = Picture{i, r.Uint64(), uint64(i)}
	}
	for b.Loop() {
		GroupSimilar(pictures)
	}
}
