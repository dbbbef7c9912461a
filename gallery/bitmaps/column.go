package bitmaps

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
)

// Columns of numbers that a search may bound, by the name that the table of entries has for them. Column returns their term.
var columns = []string{"parent_id", "width", "height", "size", "modified", "taken", "taken_key"}

// Column returns the term of a column of the table of entries.
func Column(name string) string { return factPrefix + name }

// valued is a place with its number.
type valued struct {
	value int64
	at    uint16
}

// A column is stored as chunks of places with ascending numbers. A chunk has at most chunkSize places with several numbers, of which only the
// first and the last are stored: the rows of those places say which a search has. Of equal numbers, sameSize or more have a chunk of their own.
const (
	encodedColumn = 4
	chunkSize     = 64
	sameSize      = 16
)

// encodeColumn encodes numbers. Chunks have one number each if exact.
func encodeColumn(list []valued, exact bool) []byte {
	slices.SortFunc(list, func(a, b valued) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.at, b.at)) })
	b := []byte{encodedColumn}
	var last int64
	for len(list) > 0 {
		n := chunk(list, exact)
		places := make([]uint16, n)
		for i := range places {
			places[i] = list[i].at
		}
		slices.Sort(places)
		set := encode(places)
		b = binary.AppendVarint(b, list[0].value-last) // may wrap, as it does when it is read
		b = binary.AppendUvarint(b, uint64(list[n-1].value-list[0].value))
		b = binary.AppendUvarint(b, uint64(len(set)))
		b = append(b, set...)
		last = list[n-1].value
		list = list[n:]
	}
	return b
}

// chunk returns how many of a list, from the first, the next chunk has.
func chunk(list []valued, exact bool) int {
	n := 0
	for n < len(list) && n < chunkSize {
		same := n + 1
		for same < len(list) && list[same].value == list[n].value {
			same++
		}
		switch {
		case n == 0 && (exact || same >= sameSize):
			return same
		case n > 0 && same-n >= sameSize:
			return n
		}
		n = same
	}
	return n
}

var errColumn = errors.New("a column of the bitmaps of the database cannot be read")

// eachChunk calls do with the first number of each chunk, the last and the encoded places.
func eachChunk(b []byte, do func(first, last int64, set []byte) error) error {
	if len(b) == 0 || b[0] != encodedColumn {
		return errColumn
	}
	b = b[1:]
	var last int64
	for len(b) > 0 {
		step, n := binary.Varint(b)
		if n <= 0 {
			return errColumn
		}
		b = b[n:]
		width, n := binary.Uvarint(b)
		if n <= 0 {
			return errColumn
		}
		b = b[n:]
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return errColumn
		}
		first := last + step
		last = first + int64(width)
		if err := do(first, last, b[n:n+int(size)]); err != nil {
			return err
		}
		b = b[n+int(size):]
	}
	return nil
}

// match is which places of a block a search has, and which it may have: sure is a part of may.
type match struct{ sure, may Set }

func (m *match) and(other *match) {
	m.sure.And(&other.sure)
	m.may.And(&other.may)
}

// decode adds the places of numbers from low to high.
func (m *match) decode(b []byte, low, high int64) error {
	return eachChunk(b, func(first, last int64, set []byte) error {
		if last < low || first > high {
			return nil
		}
		if first >= low && last <= high {
			if err := m.sure.Decode(set); err != nil {
				return err
			}
		}
		return m.may.Decode(set)
	})
}

// decodeAny adds the places of numbers that are among some. The column was encoded as exact.
func (m *match) decodeAny(b []byte, among map[int64]bool) error {
	return eachChunk(b, func(first, last int64, set []byte) error {
		if !among[first] {
			return nil
		}
		if first != last {
			return errColumn
		}
		if err := m.sure.Decode(set); err != nil {
			return err
		}
		return m.may.Decode(set)
	})
}
