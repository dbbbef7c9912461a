// Package fontstest makes fonts for tests.
package fontstest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/andybalholm/brotli"
)

// known lists the table tags by their numbers in a WOFF2 (https://www.w3.org/TR/WOFF2/#table_dir_format).
var known = []string{
	"cmap", "head", "hhea", "hmtx", "maxp", "name", "OS/2", "post", "cvt ", "fpgm", "glyf", "loca", "prep",
}

// WOFF2 packs a TrueType file. isTransformed says whether the table glyf is transformed.
func WOFF2(t testing.TB, ttf []byte, isTransformed bool) []byte {
	t.Helper()
	count := int(binary.BigEndian.Uint16(ttf[4:]))
	data := map[string][]byte{}
	for i := range count {
		row := ttf[12+16*i:]
		at := binary.BigEndian.Uint32(row[8:])
		data[string(row[:4])] = ttf[at : at+binary.BigEndian.Uint32(row[12:])]
	}
	var directory, tables []byte
	for i := range count {
		tag := string(ttf[12+16*i:][:4])
		number := 63
		for n, one := range known {
			if one == tag {
				number = n
			}
		}
		isGlyphs := tag == "glyf" || tag == "loca"
		if isGlyphs && !isTransformed {
			number |= 3 << 6
		}
		directory = append(directory, byte(number))
		if number == 63 {
			directory = append(directory, tag...)
		}
		directory = append(directory, base128(uint32(len(data[tag])))...)
		table := data[tag]
		if isGlyphs && isTransformed {
			if table = nil; tag == "glyf" {
				table = transform(data)
			}
			directory = append(directory, base128(uint32(len(table)))...)
		}
		tables = append(tables, table...)
	}
	var packed bytes.Buffer
	w := brotli.NewWriter(&packed)
	if _, err := w.Write(tables); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	header := make([]byte, 48)
	copy(header, "wOF2\x00\x01\x00\x00")
	binary.BigEndian.PutUint16(header[12:], uint16(count))
	binary.BigEndian.PutUint32(header[16:], uint32(len(ttf)))
	binary.BigEndian.PutUint32(header[20:], uint32(packed.Len()))
	file := append(append(header, directory...), packed.Bytes()...)
	for len(file)%4 != 0 {
		file = append(file, 0)
	}
	binary.BigEndian.PutUint32(file[8:], uint32(len(file)))
	return file
}

// transform converts a glyf table to the format of WOFF2 (https://www.w3.org/TR/WOFF2/#glyf_table_format).
func transform(data map[string][]byte) []byte {
	count := int(binary.BigEndian.Uint16(data["maxp"][4:]))
	isLong := binary.BigEndian.Uint16(data["head"][50:]) != 0
	position := func(i int) uint32 {
		if isLong {
			return binary.BigEndian.Uint32(data["loca"][4*i:])
		}
		return 2 * uint32(binary.BigEndian.Uint16(data["loca"][2*i:]))
	}
	var contours, points, flags, deltas, composites, boxes, instructions []byte
	hasBox := make([]byte, (count+31)/32*4)
	for i := range count {
		glyph := data["glyf"][position(i):position(i+1)]
		if len(glyph) == 0 {
			contours = append(contours, 0, 0)
			continue
		}
		contours = append(contours, glyph[:2]...)
		if glyph[0] == 0xff { // made of others
			hasBox[i/8] |= 0x80 >> (i % 8)
			boxes = append(boxes, glyph[2:10]...)
			composites = append(composites, glyph[10:]...)
			continue
		}
		n, at := int(glyph[1]), 10
		total := 0
		for range n {
			end := int(binary.BigEndian.Uint16(glyph[at:])) + 1
			points = append(points, u255(end-total)...)
			total, at = end, at+2
		}
		size := int(binary.BigEndian.Uint16(glyph[at:]))
		instructions = append(instructions, glyph[at+2:at+2+size]...)
		glyph = glyph[at+2+size:]
		for _, p := range pointsOf(glyph, total) {
			flag, bytes := triplet(p)
			flags, deltas = append(flags, flag), append(deltas, bytes...)
		}
		deltas = append(deltas, u255(size)...)
	}
	boxes = append(hasBox, boxes...)
	out := []byte{0, 0, 0, 0}
	out = binary.BigEndian.AppendUint16(out, uint16(count))
	out = binary.BigEndian.AppendUint16(out, binary.BigEndian.Uint16(data["head"][50:]))
	parts := [][]byte{contours, points, flags, deltas, composites, boxes, instructions}
	for _, part := range parts {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
	}
	return append(out, bytes.Join(parts, nil)...)
}

type point struct {
	x, y int // relative to the previous point
	on   bool
}

// pointsOf reads the points of a glyph. glyph starts with their flags.
func pointsOf(glyph []byte, count int) []point {
	var flags []byte
	for len(flags) < count {
		flag := glyph[0]
		flags, glyph = append(flags, flag), glyph[1:]
		if flag&8 != 0 {
			flags, glyph = append(flags, bytes.Repeat([]byte{flag}, int(glyph[0]))...), glyph[1:]
		}
	}
	list := make([]point, count)
	read := func(flag, short, same byte) (n int) {
		switch {
		case flag&short != 0:
			if n, glyph = int(glyph[0]), glyph[1:]; flag&same == 0 {
				n = -n
			}
		case flag&same == 0:
			n, glyph = int(int16(binary.BigEndian.Uint16(glyph))), glyph[2:]
		}
		return n
	}
	for i, flag := range flags {
		list[i].on = flag&1 != 0
		list[i].x = read(flag, 2, 16)
	}
	for i, flag := range flags {
		list[i].y = read(flag, 4, 32)
	}
	return list
}

// triplet writes a point (https://www.w3.org/TR/WOFF2/#triplet_decoding).
func triplet(p point) (flag byte, data []byte) {
	x, y := max(p.x, -p.x), max(p.y, -p.y)
	right, up := 0, 0
	if p.x >= 0 {
		right = 1
	}
	if p.y >= 0 {
		up = 1
	}
	signs, n := right+2*up, 0
	switch {
	case x == 0 && y < 1280:
		n, data = y&0xf00>>7+up, []byte{byte(y)}
	case y == 0 && x < 1280:
		n, data = 10+x&0xf00>>7+right, []byte{byte(x)}
	case x-1 < 64 && y-1 < 64 && x > 0 && y > 0:
		n, data = 20+(x-1)&0x30+(y-1)&0x30>>2+signs, []byte{byte((x-1)&0xf<<4 | (y-1)&0xf)}
	case x-1 < 768 && y-1 < 768 && x > 0 && y > 0:
		n, data = 84+12*((x-1)>>8)+(y-1)&0x300>>6+signs, []byte{byte(x - 1), byte(y - 1)}
	case x < 4096 && y < 4096:
		n, data = 120+signs, []byte{byte(x >> 4), byte(x&0xf<<4 | y>>8), byte(y)}
	default:
		n, data = 124+signs, []byte{byte(x >> 8), byte(x), byte(y >> 8), byte(y)}
	}
	if !p.on {
		n += 128
	}
	return byte(n), data
}

func u255(n int) []byte {
	switch {
	case n < 253:
		return []byte{byte(n)}
	case n < 506:
		return []byte{255, byte(n - 253)}
	case n < 762:
		return []byte{254, byte(n - 506)}
	}
	return []byte{253, byte(n >> 8), byte(n)}
}

func base128(n uint32) []byte {
	list := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		list = append([]byte{byte(n&0x7f) | 0x80}, list...)
	}
	return list
}
