// Package embedded analyzes JPEGs without decoding all of them: by the thumbnail that a camera puts into the EXIF data, which shows nearly what
// the whole picture does, else by a decode at a fraction of the size.
package embedded

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

const (
	minSide     = 128 // pixels of the longer side: the main color is found among so many
	maxSegments = 64  // before the size of the picture; a long color profile has 40
	maxTags     = 512 // of a directory of the EXIF data
)

// The tags that are read.
const (
	tagOrientation = 0x0112
	tagOffset      = 0x0201
	tagLength      = 0x0202
)

// Thumbnail returns the thumbnail of a JPEG as a JPEG of its own, with the orientation and the color profile of the whole; nil if it
// is smaller than 128 pixels, missing, or not of the picture's ratio within 2 %, as after a crop by a program that leaves the thumbnail alone.
func Thumbnail(r io.Reader) []byte { return read(r).thumbnail() }

func (whole header) thumbnail() []byte {
	thumbnail, orientation := inEXIF(whole.exif)
	small := read(bytes.NewReader(thumbnail))
	if max(small.width, small.height) < minSide || whole.width == 0 || whole.height == 0 || small.width == 0 || small.height == 0 {
		return nil
	}
	if across, down := small.width*whole.height, whole.width*small.height; max(across-down, down-across)*50 > down {
		return nil
	}
	out := []byte("\xFF\xD8")
	if orientation > 1 && orientation <= 8 {
		out = append(out, "\xFF\xE1\x00\x22Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"...)
		out = append(out, byte(orientation), 0, 0, 0, 0, 0, 0)
	}
	return append(append(out, whole.profile...), thumbnail[2:]...)
}

// header is the start of a JPEG.
type header struct {
	width, height int
	exif          []byte // the TIFF structure
	profile       []byte // whole segments
}

// read reads a JPEG up to its size; what is missing or out of the ordinary stays empty.
func read(from io.Reader) (h header) {
	r := bufio.NewReader(from)
	start := make([]byte, 2)
	if _, err := io.ReadFull(r, start); err != nil || string(start) != "\xFF\xD8" {
		return header{}
	}
	for range maxSegments {
		head := make([]byte, 4)
		if _, err := io.ReadFull(r, head); err != nil || head[0] != 0xFF {
			return header{}
		}
		size := int(binary.BigEndian.Uint16(head[2:])) - 2
		if size < 0 {
			return header{}
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(r, data); err != nil {
			return header{}
		}
		switch marker := head[1]; {
		case marker == 0xE1 && bytes.HasPrefix(data, []byte("Exif\x00\x00")) && h.exif == nil:
			h.exif = data[6:]
		case marker == 0xE2 && bytes.HasPrefix(data, []byte("ICC_PROFILE\x00")):
			h.profile = append(append(h.profile, head...), data...)
		case marker >= 0xC0 && marker <= 0xC2 && size >= 5:
			h.height, h.width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
			return h
		case marker < 0xC4 || marker == 0xDA || marker == 0xD9:
			return header{}
		}
	}
	return header{}
}

// inEXIF returns the thumbnail in EXIF data, and the orientation of the whole picture; nil and 0 for what is missing.
func inEXIF(exif []byte) (thumbnail []byte, orientation int) {
	var order binary.ByteOrder = binary.BigEndian
	if len(exif) < 8 {
		return nil, 0
	}
	if exif[0] == 'I' {
		order = binary.LittleEndian
	}
	first, next := tags(exif, order, int64(order.Uint32(exif[4:])))
	second, _ := tags(exif, order, next)
	from, size := int64(second[tagOffset]), int64(second[tagLength])
	if size < 2 || from+size > int64(len(exif)) {
		return nil, int(first[tagOrientation])
	}
	return exif[from : from+size], int(first[tagOrientation])
}

// tags returns the numbers in the directory at an offset, and the offset of the next directory.
func tags(exif []byte, order binary.ByteOrder, at int64) (map[uint16]uint32, int64) {
	if at < 8 || at+2 > int64(len(exif)) {
		return nil, 0
	}
	count := int64(order.Uint16(exif[at:]))
	end := at + 2 + 12*count
	if count > maxTags || end+4 > int64(len(exif)) {
		return nil, 0
	}
	found := map[uint16]uint32{}
	for tag := exif[at+2 : end]; len(tag) > 0; tag = tag[12:] {
		switch order.Uint16(tag[2:]) {
		case 3:
			found[order.Uint16(tag)] = uint32(order.Uint16(tag[8:]))
		case 4:
			found[order.Uint16(tag)] = order.Uint32(tag[8:])
		}
	}
	return found, int64(order.Uint32(exif[end:]))
}
