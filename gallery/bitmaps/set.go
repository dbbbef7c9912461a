// Package bitmaps keeps, in the database, which visible files have a common word, a tag, a type or other facts that searches ask for, such as sizes,
// dates and colors, so that the files of a search are counted without reading their rows.
package bitmaps

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// BlockSize is how many ids a block has: those from block*BlockSize.
const BlockSize = 1 << 16

// Set is a set of places in a block, 0 to BlockSize-1. The zero value is empty.
type Set [BlockSize / 64]uint64

// Add adds a place.
func (s *Set) Add(at uint16) { s[at/64] |= 1 << (at % 64) }

// Remove removes a place.
func (s *Set) Remove(at uint16) { s[at/64] &^= 1 << (at % 64) }

func (s *Set) has(at uint16) bool { return s[at/64]>>(at%64)&1 == 1 }

// And keeps what other has too.
func (s *Set) And(other *Set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// Or adds what other has.
func (s *Set) Or(other *Set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// AndNot keeps what other does not have.
func (s *Set) AndNot(other *Set) {
	for i := range s {
		s[i] &^= other[i]
	}
}

// Len returns how many places s has.
func (s *Set) Len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// each yields the places, ascending.
func (s *Set) each(yield func(at uint16) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(uint16(i*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// The encodings of a set, of which encode takes the shortest. Numbers are little-endian.
const (
	encodedPlaces = 1 // two bytes for each place
	encodedRuns   = 2 // the first place and the last of each run, two bytes each
	encodedBits   = 3 // a bit for each place
)

// encode encodes ascending places; nothing for none.
func encode(places []uint16) []byte {
	if len(places) == 0 {
		return nil
	}
	var runs []byte
	for i, from := 0, 0; i < len(places) && len(runs) < 2*len(places); i++ {
		if i+1 == len(places) || places[i+1] != places[i]+1 {
			runs = binary.LittleEndian.AppendUint16(runs, places[from])
			runs = binary.LittleEndian.AppendUint16(runs, places[i])
			from = i + 1
		}
	}
	switch {
	case len(runs) < min(2*len(places), BlockSize/8):
		return append([]byte{encodedRuns}, runs...)
	case 2*len(places) < BlockSize/8:
		b := []byte{encodedPlaces}
		for _, at := range places {
			b = binary.LittleEndian.AppendUint16(b, at)
		}
		return b
	}
	var s Set
	for _, at := range places {
		s.Add(at)
	}
	b := []byte{encodedBits}
	for _, word := range s {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// Decode adds the places that were encoded. It returns an error if b is nothing that encode returns.
func (s *Set) Decode(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	kind, b := b[0], b[1:]
	switch {
	case kind == encodedPlaces && len(b)%2 == 0:
		for ; len(b) > 0; b = b[2:] {
			s.Add(binary.LittleEndian.Uint16(b))
		}
	case kind == encodedRuns && len(b)%4 == 0:
		for ; len(b) > 0; b = b[4:] {
			s.addRun(int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:])))
		}
	case kind == encodedBits && len(b) == BlockSize/8:
		for i := range s {
			s[i] |= binary.LittleEndian.Uint64(b[8*i:])
		}
	default:
		return fmt.Errorf("a bitmap of the database has encoding %d and %d bytes", kind, len(b))
	}
	return nil
}

// addRun adds the places from one to another, both included.
func (s *Set) addRun(from, to int) {
	for at := from; at <= to; {
		if at%64 == 0 && at+63 <= to {
			s[at/64] = ^uint64(0)
			at += 64
			continue
		}
		s.Add(uint16(at))
		at++
	}
}
