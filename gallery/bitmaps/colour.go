package bitmaps

import (
	"encoding/binary"
	"math"
)

// Ball selects dominant colours within a distance of one in OKLab.
type Ball struct {
	Centre [3]float64
	Within float64
}

// colourTerm is the term of the dominant colours. Servers of before look for another, and count by rows.
const colourTerm = factPrefix + "oklab"

// Colours are stored as cells, one for each place from the first: 16 bits for each axis, which is two long. noColour is that of a file without one,
// elsewhere that of one outside of all cells.
const (
	encodedColours = 6
	cells          = 1 << 15 // to a length of 1
	colourSize     = 6       // bytes
	noColour       = 1<<48 - 1
	elsewhere      = noColour - 1<<32
)

// axisStart is where the cells of an axis begin.
var axisStart = [3]float64{-0.5, -1, -1}

// cell returns the cell of a colour.
func cell(lab [3]float64) uint64 {
	var c uint64
	for i, v := range lab {
		at := math.Floor((v - axisStart[i]) * cells)
		if !(at >= 0 && at < elsewhere>>32) {
			return elsewhere
		}
		c = c<<16 | uint64(at)
	}
	return c
}

func encodeColours(list []uint64) []byte {
	b := make([]byte, 1, 1+colourSize*len(list))
	b[0] = encodedColours
	for _, c := range list {
		b = binary.LittleEndian.AppendUint16(b, uint16(c>>32))
		b = binary.LittleEndian.AppendUint32(b, uint32(c))
	}
	return b
}

// halfCell is how far a colour may be from the middle of its cell, in cells, and more than the database and this package may differ by when they compare.
const halfCell = 0.8661 // half the root of 3 is 0.86603

// decode adds the places of colours in the ball.
func (ball Ball) decode(m *match, b []byte) error {
	if len(b) == 0 || b[0] != encodedColours || len(b)%colourSize != 1 || len(b) > 1+colourSize*BlockSize {
		return errColumn
	}
	var middle [3]float64 // from that of the first cell, in cells
	for i, v := range ball.Centre {
		middle[i] = (v-axisStart[i])*cells - 0.5
	}
	within := ball.Within * cells
	outer, inner := (within+halfCell)*(within+halfCell), (within-halfCell)*(within-halfCell)
	if within < halfCell {
		inner = 0
	}
	b = b[1:]
	for at := 0; len(b) >= colourSize; at, b = at+1, b[colourSize:] {
		l, low := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint32(b[2:])
		x, y, z := float64(l)-middle[0], float64(low>>16)-middle[1], float64(low&0xffff)-middle[2]
		distance := x*x + y*y + z*z
		switch {
		case l >= elsewhere>>32:
			if l == elsewhere>>32 {
				m.may.Add(uint16(at))
			}
		case distance < inner:
			m.sure.Add(uint16(at))
			m.may.Add(uint16(at))
		case distance <= outer:
			m.may.Add(uint16(at))
		}
	}
	return nil
}
