// Package embedded finds the thumbnail that a camera puts into the EXIF data of a JPEG, which shows nearly what the
// whole picture does. It is pure Go.
package embedded

import (
	"encoding/binary"
	"io"

	"github.com/safelight/safelight/imaging/container"
)

const (
	minSide     = 128 // pixels of the longer side: the main color is found among so many
	maxSegments = 64  // before the size of the picture; a long color profile has 40
)

// The tags of a thumbnail that are read (EXIF 2.3, 4.6.5).
const (
	tagOffset = 0x0201 // JPEGInterchangeFormat
	tagLength = 0x0202 // JPEGInterchangeFormatLength
)

// Thumbnail is a thumbnail in the EXIF data of a JPEG.
type Thumbnail struct {
	Width, Height int // pixels, as stored
	// a JPEG without orientation and color profile, which are those of the whole; only its header was looked at
	Data []byte
}

// Find returns the size of a JPEG as stored, 0 if its start is out of the ordinary, and its thumbnail. That is nil if
// it is smaller than 128 pixels, missing, or not of the picture's ratio within 2 %, as after a crop by a program that
// leaves the thumbnail alone. It reads no more than the start of the file, and leaves r anywhere.
func Find(r io.ReadSeeker) (width, height int, t *Thumbnail) {
	whole := read(container.Open(r, -1))
	width, height = whole.width, whole.height
	data := inEXIF(whole.exif)
	small := read(container.Of(data))
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
func read(file *container.File) (h header) {
	segments := 0
	for s, err := range container.JPEG(file) {
		if segments++; err != nil || !s.Adjoins || s.Length < 2 || segments > maxSegments {
			return header{}
		}
		switch marker := s.Marker; {
		case h.exif == nil && s.Starts(file, container.APP1, container.EXIFName):
			name := len(container.EXIFName)
			if h.exif, err = file.Bytes(s.Start()+int64(name), s.Size()-name); err != nil {
				return header{}
			}
		case marker >= container.SOF0 && marker <= container.SOF2 && len(s.Head) >= 5:
			h.height, h.width = int(binary.BigEndian.Uint16(s.Head[1:])), int(binary.BigEndian.Uint16(s.Head[3:]))
			return h
		case marker < container.DHT || marker == container.SOS || marker == container.EOI:
			return header{}
		}
	}
	return header{}
}

// inEXIF returns the thumbnail in EXIF data, or nil: the one that the second directory describes.
func inEXIF(exif []byte) []byte {
	file, directories := container.Of(exif), 0
	for d, err := range container.TIFF(file, 0, file.Size()) {
		if err != nil {
			return nil
		}
		if directories++; directories < 2 {
			continue
		}
		numbers := map[uint16]uint32{}
		for e, err := range d.Entries(file) {
			if n, ok := e.Number(); ok && err == nil {
				numbers[e.Tag] = n
			}
		}
		data, err := file.At(int64(numbers[tagOffset]), int(numbers[tagLength]))
		if err != nil {
			return nil
		}
		return data
	}
	return nil
}
