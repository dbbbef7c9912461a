package screen

import (
	"encoding/binary"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// Pixels returns how many pixels a PNG, JPEG or GIF claims to have in all frames together. ok is false for other
// formats and for a file without a header.
func Pixels(data []byte) (pixels int64, ok bool) {
	switch imaging.SniffFormat(data) {
	case imaging.PNG:
		if len(data) < 24 {
			return 0, false
		}
		return imaging.Product(int64(binary.BigEndian.Uint32(data[16:])), int64(binary.BigEndian.Uint32(data[20:]))),
			true
	case imaging.JPEG:
		j := jpegScreen{File: File{Data: data}}
		_ = j.all(container.Of(data)) // the frame precedes everything that could be rejected, or there is none
		return j.pixels, j.framed
	case imaging.GIF:
		if len(data) < 13 {
			return 0, false
		}
		canvas := imaging.Product(int64(binary.LittleEndian.Uint16(data[6:])),
			int64(binary.LittleEndian.Uint16(data[8:])))
		return imaging.Product(canvas, int64(gifFrames(data))), true
	}
	return 0, false
}

// gifFrames counts the frames of a GIF up to its end, at least 1.
func gifFrames(data []byte) (frames int) {
	for b := range container.GIF(container.Of(data)) {
		if b.Kind == container.GIFImage { // even if it is incomplete
			frames++
		}
	}
	return max(frames, 1)
}
