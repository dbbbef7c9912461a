package screen

import (
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging/container"
)

// Scans and segments of a JPEG. A decoder processes all coefficients for each scan, even if that has a single byte,
// and traverses the list of metadata for each segment that it adds.
const (
	maxScans      = 500
	maxScanPixels = 3_000_000_000 // pixels times scans; photos have about ten scans
	maxSegments   = 2_500         // segments of at most 64 KiB each, excluding scans; a color profile has at most 255
)

// jpeg rejects lossless files, and files with more scans and segments than any encoder writes.
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
	done bool // the rest does not matter

	segments, scans int // scans count only if the decoder keeps coefficients between them, up to one over the limit
	framed          bool
	isLossless      bool
	pixels          int64
	components      int
	isProgressive   bool
}

// all counts the segments of a whole file, or up to the end of what exists.
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

// count counts a segment, and returns an error if that is one too many.
func (j *jpegScreen) count(s container.Segment) error {
	switch {
	case s.Marker == container.EOI:
		j.done = true
		return nil
	case s.Marker == container.SOS && j.Data == nil:
		j.done = true // pixels follow
		return nil
	case s.Marker == container.SOS && len(s.Head) > 0:
		if !j.isProgressive && int(s.Head[0]) == j.components {
			j.scans, j.done = 0, true // this scan contains everything, so the decoder stops after it
			return nil
		}
		j.scans++
		j.done = j.scans > maxScans
		return nil
	case s.Marker == container.SOS:
		return nil
	}
	if frame, ok := s.Frame(); ok && j.pixels == 0 {
		j.framed, j.isLossless = true, isLossless(s.Marker)
		j.pixels = int64(frame.Width) * int64(frame.Height)
		j.components, j.isProgressive = frame.Components, s.Marker&3 == 2
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

// isLossless reports whether a frame is lossless (T.81, annex H). libjpeg-turbo 2 does not read such files.
// libjpeg-turbo 3 does, but never shrinks them while it decodes. Programs that request shrinking, as libvips does,
// then show only the top left corner.
func isLossless(frame byte) bool { return frame&3 == 3 }
