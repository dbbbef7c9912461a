// Package embedded finds the thumbnail that a camera puts into the EXIF data of a JPEG, which shows nearly the same as
// the whole picture. It is pure Go.
package embedded

import (
	"io"

	"github.com/safelight/safelight/imaging/container"
)

const (
	minSide     = 128 // min length of the longer side in pixels, which is enough to find the main color
	maxSegments = 64  // max segments before the size of the picture; a long color profile has 40
)

// The tags of a thumbnail that are read (EXIF 2.3, 4.6.5).
const (
	tagOffset = 0x0201 // JPEGInterchangeFormat
	tagLength = 0x0202 // JPEGInterchangeFormatLength
)

// Thumbnail is the thumbnail in the EXIF data of a JPEG.
type Thumbnail struct {
	Width, Height int // pixels, as stored
	// Data is a JPEG without orientation and color profile, which are those of the whole picture. Only its header has
	// been checked.
	Data []byte
}

// Find returns the size of a JPEG as stored, which is 0 if the start of the file is unusual, and its thumbnail. The
// thumbnail is nil if it is missing or smaller than 128 pixels, or if its aspect ratio differs from the picture's by
// more than 2 %, as after a crop by a program that does not update the thumbnail. Find reads only the start of the
// file, and leaves r at an arbitrary position.
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

// read reads a JPEG up to its size; missing or unusual data stays empty.
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
		case marker >= container.SOF0 && marker <= container.SOF2:
			frame, _ := s.Frame()
			h.width, h.height = frame.Width, frame.Height
			return h
		case marker < container.DHT || marker == container.SOS || marker == container.EOI:
			return header{}
		}
	}
	return header{}
}

// inEXIF returns the thumbnail that the second directory of EXIF data describes, or nil.
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
		for e, err := range d.Entries() {
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
