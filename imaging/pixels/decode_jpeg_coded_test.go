package pixels

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// codedComponent is a component of a JPEG that is written from random coefficients.
type codedComponent struct{ h, v, dc, ac int }

// coded is a baseline JPEG that is written from random coefficients, to have what no encoder writes.
type coded struct {
	width, height int
	components    []codedComponent
	restart       int     // MCUs; 0 for none
	density       float64 // of AC coefficients that are not 0
	largest       int     // size of values, at most 15
	random        *rand.Rand
	dc, ac        map[int]*codes
	file          []byte
	buffer        uint64
	count         int // bits in buffer
}

// codes is a Huffman table with random lengths.
type codes struct {
	lengths [17]byte
	symbols []byte
	code    map[byte]uint32
	length  map[byte]int
}

// newCodes makes a table of the symbols, in random order. The lengths are any that leave the code of all ones free.
func newCodes(r *rand.Rand, symbols []byte) *codes {
	c := &codes{symbols: symbols, code: map[byte]uint32{}, length: map[byte]int{}}
	r.Shuffle(len(symbols), func(a, b int) { symbols[a], symbols[b] = symbols[b], symbols[a] })
	short := r.IntN(3) == 0
	next, at := uint32(0), 0
	for length := 1; length <= 16; length++ {
		free, left := 1<<length-int(next), len(symbols)-at
		most := min(left, free-1)
		for most > 0 && (free-most)<<(16-length) <= left-most {
			most--
		}
		n := most
		if length < 16 && most > 0 && !(short && length >= 8) {
			n = r.IntN(most/2 + 2)
		}
		n = min(n, most)
		for range n {
			c.code[symbols[at]], c.length[symbols[at]] = next, length
			next++
			at++
		}
		c.lengths[length] = byte(n)
		next <<= 1
	}
	return c
}

func (c *coded) segment(marker byte, data ...byte) {
	c.file = binary.BigEndian.AppendUint16(append(c.file, 0xff, marker), uint16(len(data)+2))
	c.file = append(c.file, data...)
}

func (c *coded) put(code uint32, length int) {
	c.buffer, c.count = c.buffer<<length|uint64(code), c.count+length
	for ; c.count >= 8; c.count -= 8 {
		b := byte(c.buffer >> (c.count - 8))
		c.file = append(c.file, b)
		if b == 0xff {
			c.file = append(c.file, 0)
		}
	}
}

func (c *coded) pad() {
	if c.count > 0 {
		c.put(1<<(8-c.count)-1, 8-c.count)
	}
}

func (c *coded) value(v int) {
	size := bits.Len(uint(max(v, -v)))
	if v < 0 {
		v += 1<<size - 1
	}
	c.put(uint32(v), size)
}

// block writes a block with a DC coefficient that differs by diff from the one before.
func (c *coded) block(dc, ac *codes, diff int) {
	size := byte(bits.Len(uint(max(diff, -diff))))
	c.put(dc.code[size], dc.length[size])
	c.value(diff)
	run := 0
	for k := 1; k < 64; k++ {
		if c.random.Float64() >= c.density {
			run++
			continue
		}
		for ; run > 15; run -= 16 {
			c.put(ac.code[0xf0], ac.length[0xf0])
		}
		v := 1 + c.random.IntN(1<<(1+c.random.IntN(c.largest))-1)
		if c.random.IntN(2) == 0 {
			v = -v
		}
		symbol := byte(run<<4 | bits.Len(uint(max(v, -v))))
		c.put(ac.code[symbol], ac.length[symbol])
		c.value(v)
		run = 0
	}
	if run > 0 {
		c.put(ac.code[0], ac.length[0])
	}
}

// header writes all before the data.
func (c *coded) header() {
	c.file = []byte{0xff, 0xd8}
	quantization := make([]byte, 65)
	for n := range 64 {
		quantization[n+1] = byte(1 + c.random.IntN(1+n))
	}
	c.segment(0xdb, quantization...)
	sof := binary.BigEndian.AppendUint16([]byte{8}, uint16(c.height))
	sof = append(binary.BigEndian.AppendUint16(sof, uint16(c.width)), byte(len(c.components)))
	sos := []byte{byte(len(c.components))}
	c.dc, c.ac = map[int]*codes{}, map[int]*codes{}
	for n, k := range c.components {
		sof = append(sof, byte(n+1), byte(k.h<<4|k.v), 0)
		sos = append(sos, byte(n+1), byte(k.dc<<4|k.ac))
		if c.dc[k.dc] == nil {
			c.dc[k.dc] = newCodes(c.random, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
			c.table(k.dc, c.dc[k.dc])
		}
		if c.ac[k.ac] == nil {
			all := []byte{0, 0xf0}
			for run := range byte(16) {
				for size := byte(1); size <= 15; size++ {
					all = append(all, run<<4|size)
				}
			}
			c.ac[k.ac] = newCodes(c.random, all)
			c.table(0x10|k.ac, c.ac[k.ac])
		}
	}
	c.segment(0xc0, sof...)
	if c.restart > 0 {
		c.segment(0xdd, byte(c.restart>>8), byte(c.restart))
	}
	c.segment(0xda, append(sos, 0, 63, 0)...)
}

func (c *coded) table(class int, t *codes) {
	c.segment(0xc4, append(append([]byte{byte(class)}, t.lengths[1:]...), t.symbols...)...)
}

// write returns the file.
func (c *coded) write() []byte {
	c.header()
	h, v := 1, 1
	for _, k := range c.components {
		h, v = max(h, k.h), max(v, k.v)
	}
	mcus := ((c.width + 8*h - 1) / (8 * h)) * ((c.height + 8*v - 1) / (8 * v))
	level := make([]int, len(c.components))
	for n := range mcus {
		if c.restart > 0 && n > 0 && n%c.restart == 0 {
			c.pad()
			c.file = append(c.file, 0xff, byte(0xd0+(n/c.restart-1)%8))
			clear(level)
		}
		for at, k := range c.components {
			for range k.h * k.v {
				to := c.random.IntN(2048) - 1024
				c.block(c.dc[k.dc], c.ac[k.ac], to-level[at])
				level[at] = to
			}
		}
	}
	c.pad()
	return append(c.file, 0xff, 0xd9)
}
