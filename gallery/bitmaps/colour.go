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

// colourTerm is the term of the dominant colours.
const colourTerm = factPrefix + "color"

// Colours are stored as cells, one for each place from the first: 10 bits for each axis. noColour is that of a file without one.
const (
	encodedColours = 5
	cells          = 1024
	noColour       = math.MaxUint32
)

// axisStart is where the cells of an axis begin; each axis is one long.
var axisStart = [3]float64{0, -0.5, -0.5}

// cell returns the cell of a colour. The first cell of an axis and the last have the colors beyond them too.
func cell(lab [3]float64) uint32 {
	var c uint32
	for i, v := range lab {
		c = c<<10 | uint32(max(0, min(cells-1, math.Floor((v-axisStart[i])*cells))))
	}
	return c
}

func encodeColours(list []uint32) []byte {
	b := make([]byte, 1, 1+4*len(list))
	b[0] = encodedColours
	for _, c := range list {
		b = binary.LittleEndian.AppendUint32(b, c)
	}
	return b
}

// reach is how near to the centre of a ball a cell comes on one axis, and how far from it, as squares.
type reach struct{ near, far float64 }

func (b Ball) reach() *[3][cells]reach {
	var r [3][cells]reach
	for axis, at := range b.Centre {
		for i := range cells {
			low := axisStart[axis] + float64(i)/cells
			below, above := low-at, at-(low+1.0/cells)
			far := max(math.Abs(below), math.Abs(above))
			near := max(0, below, above)
			if i == 0 || i == cells-1 {
				near, far = 0, math.Inf(1)
			}
			r[axis][i] = reach{near * near, far * far}
		}
	}
	return &r
}

// rounding is more than the database and this package may differ by when they compare squares of distances.
const rounding = 1e-9

// decodeBall adds the places of colours in a ball.
func (m *match) decodeBall(b []byte, r *[3][cells]reach, within float64) error {
	if len(b) == 0 || b[0] != encodedColours || len(b)%4 != 1 || len(b) > 1+4*BlockSize {
		return errColumn
	}
	b = b[1:]
	limit := within * within
	for at := 0; len(b) > 0; at, b = at+1, b[4:] {
		c := binary.LittleEndian.Uint32(b)
		if c == noColour {
			continue
		}
		l, a, bb := &r[0][c>>20%cells], &r[1][c>>10%cells], &r[2][c%cells]
		if l.near+a.near+bb.near > limit+rounding {
			continue
		}
		m.may.Add(uint16(at))
		if l.far+a.far+bb.far < limit-rounding {
			m.sure.Add(uint16(at))
		}
	}
	return nil
}
