package pixels

import (
	"encoding/binary"
	"slices"
)

// maxColors is the max number of colors in a palette.
const maxColors = 256

// paletteColors are the colors of a picture, with the non-opaque ones first, and their indexes.
type paletteColors struct {
	list    []uint32 // RGBA, red in the lowest byte
	numbers map[uint32]byte
	clear   int // number of non-opaque colors
}

// palette returns the colors of an RGB or RGBA picture, or nil if they do not fit into a palette.
func palette(p Picture) *paletteColors {
	if p.Bands < 3 {
		return nil
	}
	c := &paletteColors{numbers: make(map[uint32]byte, maxColors)}
	last, any := uint32(0), false
	for at := 0; at+p.Bands <= len(p.Pixels); at += p.Bands {
		v := colorAt(p, at)
		if any && v == last {
			continue
		}
		last, any = v, true
		if _, known := c.numbers[v]; known {
			continue
		}
		if len(c.list) == maxColors {
			return nil
		}
		c.numbers[v] = 0
		c.list = append(c.list, v)
	}
	slices.SortStableFunc(c.list, func(a, b uint32) int { return opaque(a) - opaque(b) })
	for n, v := range c.list {
		c.numbers[v] = byte(n)
		c.clear += 1 - opaque(v)
	}
	return c
}

func opaque(v uint32) int {
	if v>>24 == 0xFF {
		return 1
	}
	return 0
}

func colorAt(p Picture, at int) uint32 {
	if p.Bands == 4 {
		return binary.LittleEndian.Uint32(p.Pixels[at:])
	}
	return uint32(p.Pixels[at]) | uint32(p.Pixels[at+1])<<8 | uint32(p.Pixels[at+2])<<16 | 0xFF<<24
}

// indexes returns the rows of color indexes, and the number of bits per index.
func (c *paletteColors) indexes(p Picture) (rows []byte, bits byte) {
	bits = 8
	for n := byte(4); n > 0 && len(c.list) <= 1<<n; n /= 2 {
		bits = n
	}
	row := (p.Width*int(bits) + 7) / 8
	rows = make([]byte, row*p.Height)
	last, number := uint32(0), c.numbers[0]
	for y := range p.Height {
		for x := range p.Width {
			if v := colorAt(p, (y*p.Width+x)*p.Bands); v != last {
				last, number = v, c.numbers[v]
			}
			bit := x * int(bits)
			rows[y*row+bit/8] |= number << (8 - int(bits) - bit%8)
		}
	}
	return rows, bits
}

// chunks returns PLTE and, for a picture with alpha, tRNS. The latter is included even if all colors are opaque, so
// that decoders still find alpha.
func (c *paletteColors) chunks(alpha bool) []byte {
	var colors, clear []byte
	for n, v := range c.list {
		colors = append(colors, byte(v), byte(v>>8), byte(v>>16))
		if alpha && n < max(c.clear, 1) {
			clear = append(clear, byte(v>>24))
		}
	}
	chunks := appendChunk(nil, "PLTE", colors)
	if alpha {
		chunks = appendChunk(chunks, "tRNS", clear)
	}
	return chunks
}
