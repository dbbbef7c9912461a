package screen

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging/container"
)

// Scans and segments of a JPEG. A decoder goes over all coefficients once for each scan, even if it has one byte, and
// over the list of metadata once for each segment that it adds.
const (
	maxScans      = 500
	maxScanPixels = 3_000_000_000 // pixels times scans; photos have about ten scans
	maxSegments   = 2_500         // of at most 64 KiB each, scans not included; a color profile has 255 at most
)

// jpeg rejects more scans and segments than any encoder writes, and lossless files.
func (f File) jpeg(file *container.File) error {
	j := jpegScreen{File: f}
	if err := j.all(file); err != nil {
		return err
	}
	if j.scans > maxScans || int64(j.scans)*j.pixels > maxScanPixels {
		return f.tooLarge("has %d scans of %d pixels, which is more than are decoded", j.scans, j.pixels)
	}
	return nil
}

// jpegScreen counts the segments of a JPEG.
type jpegScreen struct {
	File
	done bool // nothing that counts follows

	segments, scans int // scans only if the decoder keeps coefficients between them, one over the limit at most
	framed          bool
	isLossless      bool
	pixels          int64
	components      byte
	isProgressive   bool
}

// all counts the segments of a whole file, as far as it goes.
func (j *jpegScreen) all(file *container.File) error {
	for s, err := range container.JPEG(file) {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err == nil {
			err = j.count(s)
		}
		if err != nil || j.done {
			return err
		}
	}
	return nil
}

// count notes a segment, and says whether it is one too many.
func (j *jpegScreen) count(s container.Segment) error {
	switch {
	case s.Marker == container.EOI:
		j.done = true
		return nil
	case s.Marker == container.SOS && j.Data == nil:
		j.done = true // pixels follow
		return nil
	case s.Marker == container.SOS && len(s.Head) > 0:
		if !j.isProgressive && s.Head[0] == j.components {
			j.scans, j.done = 0, true // everything is in this scan, the decoder looks no further
			return nil
		}
		j.scans++
		j.done = j.scans > maxScans
		return nil
	case s.Marker == container.SOS:
		return nil
	case container.IsSOF(s.Marker) && len(s.Head) >= 6 && j.pixels == 0:
		j.framed, j.isLossless = true, isLossless(s.Marker)
		j.pixels = int64(binary.BigEndian.Uint16(s.Head[1:])) * int64(binary.BigEndian.Uint16(s.Head[3:]))
		j.components, j.isProgressive = s.Head[5], s.Marker&3 == 2
	}
	if j.segments++; j.segments > maxSegments {
		return j.tooLarge("has more than %d segments", maxSegments)
	}
	if j.isLossless {
		return fault.New(
			fault.UnsupportedType, "The file %s is a lossless JPEG, which this server does not read",
			j.Name,
		)
	}
	return nil
}

// isLossless says whether a frame is lossless (T.81, annex H). libjpeg-turbo 2 does not read such files.
// libjpeg-turbo 3 does, but never shrinks them as it decodes, so that programs that ask for that, as libvips does,
// show the top left corner only.
func isLossless(frame byte) bool { return frame&3 == 3 }
