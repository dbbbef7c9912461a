package search

import (
	"math/bits"
	"slices"
	"sort"
)

// Picture contains the compared values of a picture.
type Picture struct {
	ID    int
	Hash  uint64 // perceptual
	Bytes uint64 // a part of the hash of the content; equal for copies
}

// GroupDistance is the maximum number of bits by which the hashes of neighbors in a group differ. It is less
// than the number of quarters of a hash, so that neighbors have at least one quarter in common.
const GroupDistance = 3

// minWaves is the minimum number of bits that must be set in a hash for the picture to be compared. About
// half of the bits are set for a photograph. None is set for a flat picture or a gradient, whose hash does
// not depend on the color.
const minWaves = 8

// maxQuarter is the maximum number of hashes with the same quarter that are compared with each other. Scans
// of white paper, for example, can exceed it. Their other quarters differ or are as common.
const maxQuarter = 2000

// GroupSimilar returns the ids of pictures that look the same, in groups of at least two that are not all
// copies of the same content. The groups and their members are sorted by id. Pictures that show almost
// nothing are not in any group.
func GroupSimilar(pictures []Picture) [][]int {
	pictures = slices.DeleteFunc(
		slices.Clone(pictures),
		func(p Picture) bool { return bits.OnesCount64(p.Hash) < minWaves },
	)
	sort.Slice(pictures, func(i, j int) bool { return pictures[i].Hash < pictures[j].Hash })
	var hashes []uint64 // without duplicates
	var place []int     // index of each picture's hash in hashes
	for _, p := range pictures {
		if n := len(hashes); n == 0 || hashes[n-1] != p.Hash {
			hashes = append(hashes, p.Hash)
		}
		place = append(place, len(hashes)-1)
	}
	sets := join(hashes)
	members := make([][]Picture, len(hashes))
	for i, p := range pictures {
		set := sets.root(int32(place[i]))
		members[set] = append(members[set], p)
	}
	var groups [][]int
	for _, m := range members {
		if len(m) > 1 && slices.ContainsFunc(m, func(p Picture) bool { return p.Bytes != m[0].Bytes }) {
			groups = append(groups, ids(m))
		}
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i][0] < groups[j][0] })
	return groups
}

func ids(members []Picture) []int {
	list := make([]int, len(members))
	for i, p := range members {
		list[i] = p.ID
	}
	slices.Sort(list)
	return list
}

// sets are disjoint sets of indexes (union-find). Each index refers to its parent, and the root of a set to
// itself.
type sets []int32

func (s sets) root(i int32) int32 {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// join returns sets in which the indexes of hashes at small distances are connected.
func join(hashes []uint64) sets {
	s := make(sets, len(hashes))
	for i := range s {
		s[i] = int32(i)
	}
	order := make([]int32, len(hashes))
	for shift := 0; shift < 64; shift += 16 {
		starts := byQuarter(hashes, shift, order)
		for q := range 1 << 16 {
			s.compare(hashes, order[starts[q]:starts[q+1]])
		}
	}
	return s
}

// byQuarter writes the indexes of hashes into order, sorted by a quarter of the hash. It returns where each
// quarter starts.
func byQuarter(hashes []uint64, shift int, order []int32) []int32 {
	starts := make([]int32, 1<<16+1)
	for _, h := range hashes {
		starts[int(uint16(h>>shift))+1]++
	}
	for q := range 1 << 16 {
		starts[q+1] += starts[q]
	}
	next := slices.Clone(starts)
	for i, h := range hashes {
		q := uint16(h >> shift)
		order[next[q]] = int32(i)
		next[q]++
	}
	return starts
}

// compare joins the sets of close hashes among near, unless there are too many hashes.
func (s sets) compare(hashes []uint64, near []int32) {
	if len(near) > maxQuarter {
		return
	}
	for n, a := range near {
		for _, b := range near[n+1:] {
			if bits.OnesCount64(hashes[a]^hashes[b]) <= GroupDistance {
				s[s.root(a)] = s.root(b)
			}
		}
	}
}
