package pixels

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngBands are the bands of the color types that are decoded: gray and RGB, with and without alpha.
var pngBands = map[byte]int{0: 1, 2: 3, 4: 2, 6: 4}

// PNG is a PNG file whose pixels can be decoded here: 8 bits a sample, no palette, no transparent color, not
// interlaced, undamaged in its structure. Metadata is not looked at.
type PNG struct {
	Width, Height, Bands int
	deflated             [][]byte // the data of its IDAT chunks
}

// ParsePNG reads the structure of a file. ok is false for one that is not a PNG of this kind; it may well be a picture
// to other decoders.
func ParsePNG(file []byte) (p PNG, ok bool) {
	if !bytes.HasPrefix(file, []byte(pngSignature)) {
		return p, false
	}
	rest := file[len(pngSignature):]
	for first, ended := true, false; len(rest) >= 12; first = false {
		size := binary.BigEndian.Uint32(rest)
		if uint64(size) > uint64(len(rest)-12) {
			return p, false
		}
		kind, data := string(rest[4:8]), rest[8:8+size]
		if crc32.ChecksumIEEE(rest[4:8+size]) != binary.BigEndian.Uint32(rest[8+size:]) || first != (kind == "IHDR") {
			return p, false
		}
		rest = rest[12+size:]
		if kind != "IDAT" {
			ended = len(p.deflated) > 0
		}
		switch {
		case first:
			if !p.header(data) {
				return p, false
			}
		case kind == "IDAT":
			if ended {
				return p, false
			}
			p.deflated = append(p.deflated, data)
		case kind == "IEND":
			return p, len(p.deflated) > 0
		case kind == "tRNS", kind[0]&0x20 == 0 && kind != "PLTE": // a palette is a proposal to screens of few colors
			return p, false
		}
	}
	return p, false
}

// header reads the size and what samples there are.
func (p *PNG) header(data []byte) bool {
	if len(data) != 13 || data[8] != 8 || data[10] != 0 || data[11] != 0 || data[12] != 0 {
		return false
	}
	width, height := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
	bands, ok := pngBands[data[9]]
	if !ok || width == 0 || height == 0 || width > math.MaxInt32/8 || height > math.MaxInt32/8 {
		return false
	}
	p.Width, p.Height, p.Bands = int(width), int(height), bands
	return true
}

// Row returns the bytes of a row of pixels.
func (p PNG) Row() int { return p.Width * p.Bands }

// Buffer returns the bytes that Decode needs: those of the pixels, and one for each row.
func (p PNG) Buffer() int64 { return int64(p.Row()+1) * int64(p.Height) }
