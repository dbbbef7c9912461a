// Package embedded finds the thumbnail that a camera puts into the EXIF data of a JPEG, which shows nearly what the
// whole picture does. It is pure Go.
package embedded

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// Buffer is how many bytes Find reads at once: mostly all that it reads. A *bufio.Reader that has as much it takes as
// it is.
const Buffer = 64 << 10

const (
	minSide     = 128 // pixels of the longer side: the main color is found among so many
	maxSegments = 64  // before the size of the picture; a long color profile has 40
	maxTags     = 512 // of a directory of the EXIF data
)

// The tags that are read.
const (
	tagOffset = 0x0201
	tagLength = 0x0202
)

// Thumbnail is a thumbnail in the EXIF data of a JPEG.
type Thumbnail struct {
	Width, Height int // pixels, as stored
	// a JPEG without orientation and color profile, which are those of the whole; only its header was looked at
	Data []byte
}

// Find returns the size of a JPEG as stored, 0 if its start is out of the ordinary, and its thumbnail. That is nil if
// it is smaller than 128 pixels, missing, or not of the picture's ratio within 2 %, as after a crop by a program that
// leaves the thumbnail alone. It reads no more than the start of the file.
func Find(r io.Reader) (width, height int, t *Thumbnail) {
	whole := read(bufio.NewReaderSize(r, Buffer))
	width, height = whole.width, whole.height
	data := inEXIF(whole.exif)
	small := read(bufio.NewReaderSize(bytes.NewReader(data), 512))
	if max(small.width, small.height) < minSide || width == 0 || height == 0 || small.width == 0 || small.height == 0 {
		return width, height, nil
	}
	if across, down := small.width*height, width*small.height; max(across-down, down-across)*50 > down {
		return width, height, nil
	}
	return width, height, &Thumbnail{small.width, small.height, data}
}

// header is the start of a JPEG.
type header struct {
	width, height int
	exif          []byte // the TIFF structure
}

// read reads a JPEG up to its size; what is missing or out of the ordinary stays empty.
func read(r *bufio.Reader) (h header) {
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
		case marker >= 0xC0 && marker <= 0xC2 && size >= 5:
			h.height, h.width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
			return h
		case marker < 0xC4 || marker == 0xDA || marker == 0xD9:
			return header{}
		}
	}
	return header{}
}

// inEXIF returns the thumbnail in EXIF data, or nil.
func inEXIF(exif []byte) []byte {
	var order binary.ByteOrder = binary.BigEndian
	if len(exif) < 8 {
		return nil
	}
	if exif[0] == 'I' {
		order = binary.LittleEndian
	}
	_, next := tags(exif, order, int64(order.Uint32(exif[4:])))
	second, _ := tags(exif, order, next)
	from, size := int64(second[tagOffset]), int64(second[tagLength])
	if size < 2 || from+size > int64(len(exif)) {
		return nil
	}
	return exif[from : from+size]
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
