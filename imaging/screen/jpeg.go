package screen

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Scans and segments of a JPEG. A decoder goes over all coefficients once for each scan, even if it has one byte, and
// over the list of metadata once for each segment that it adds.
const (
	maxScans      = 500
	maxScanPixels = 3_000_000_000 // pixels times scans; photos have about ten scans
	maxSegments   = 2_500         // of at most 64 KiB each, scans not included; a color profile has 255 at most
)

// jpeg rejects more scans and segments than any encoder writes, and lossless files.
func (f File) jpeg(*view) error {
	j := jpegScreen{File: f}
	if err := j.feed(f.Data); err != nil {
		return err
	}
	if j.scans > maxScans || int64(j.scans)*j.pixels > maxScanPixels {
		return f.tooLarge("has %d scans of %d pixels, which is more than are decoded", j.scans, j.pixels)
	}
	return nil
}

// jpegScreen follows the markers of a JPEG, which come in pieces.
type jpegScreen struct {
	File
	step   func(*jpegScreen, []byte) (rest []byte) // nil: search
	marker byte
	head   []byte // of the segment: its length, and up to six bytes more
	skip   int    // bytes of the segment that are left
	done   bool   // nothing that counts follows

	segments, scans int // scans only if the decoder keeps coefficients between them, one over the limit at most
	framed          bool
	isLossless      bool
	pixels          int64
	components      byte
	isProgressive   bool
}

// feed takes the next bytes of the file.
func (j *jpegScreen) feed(b []byte) error {
	for len(b) > 0 && !j.done {
		if j.step == nil {
			j.step = (*jpegScreen).search
		}
		b = j.step(j, b)
		if j.segments > maxSegments {
			return j.tooLarge("has more than %d segments", maxSegments)
		}
		if j.isLossless {
			return fault.New(
				fault.UnsupportedType, "The file %s is a lossless JPEG, which this server does not read",
				j.Name,
			)
		}
	}
	return nil
}

// search skips to a marker.
func (j *jpegScreen) search(b []byte) []byte {
	n := min(j.skip, len(b))
	j.skip, b = j.skip-n, b[n:]
	if n = bytes.IndexByte(b, 0xFF); n < 0 {
		return nil
	}
	j.step = (*jpegScreen).mark
	return b[n+1:]
}

// mark reads a marker.
func (j *jpegScreen) mark(b []byte) []byte {
	switch j.marker = b[0]; {
	case j.marker == 0xFF:
	case j.marker <= 0x01, j.marker >= 0xD0 && j.marker <= 0xD8: // stuffed, or it stands alone
		j.step = (*jpegScreen).search
	case j.marker == 0xD9:
		j.done = true
	default:
		j.head, j.step = j.head[:0], (*jpegScreen).segment
	}
	return b[1:]
}

// segment reads the start of a segment.
func (j *jpegScreen) segment(b []byte) []byte {
	size := 2
	if len(j.head) >= 2 {
		size = max(int(binary.BigEndian.Uint16(j.head)), 2)
	}
	n := min(min(size, 8)-len(j.head), len(b))
	j.head = append(j.head, b[:n]...)
	if n == 0 {
		j.count(j.head[2:])
		j.skip, j.step = size-len(j.head), (*jpegScreen).search
	}
	return b[n:]
}

// count notes a segment that starts with that.
func (j *jpegScreen) count(body []byte) {
	switch {
	case j.marker == 0xDA && len(body) > 0:
		if !j.isProgressive && body[0] == j.components {
			j.scans, j.done = 0, true // everything is in this scan, the decoder looks no further
			return
		}
		j.scans++
		j.done = j.scans > maxScans
	case j.marker == 0xDA:
	case isFrame(j.marker) && len(body) >= 6 && j.pixels == 0:
		j.framed, j.isLossless = true, isLossless(j.marker)
		j.pixels = int64(binary.BigEndian.Uint16(body[1:])) * int64(binary.BigEndian.Uint16(body[3:]))
		j.components, j.isProgressive = body[5], j.marker&3 == 2
		fallthrough
	default:
		j.segments++
	}
}

// isFrame says whether a marker starts a frame.
func isFrame(marker byte) bool {
	return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
}

// isLossless says whether a frame is lossless (T.81, annex H). libjpeg-turbo 2 does not read such files.
// libjpeg-turbo 3 does, but never shrinks them as it decodes, so that programs that ask for that, as libvips does,
// show the top left corner only.
func isLossless(frame byte) bool { return frame&3 == 3 }

// Watched is a reader of a file whose start is checked as it is read. Check would have to seek from segment to segment,
// which some storages answer by a request per seek.
type Watched struct {
	io.ReadSeeker
	jpeg  jpegScreen
	place int64 // in the file
	seen  int64 // how much of the file was checked
	err   error
}

// Watch returns a reader for a JPEG that is not in memory, which ends with the errors of Check; nil for any other file.
func (f File) Watch() *Watched {
	if f.Format != imaging.JPEG || f.Data != nil {
		return nil
	}
	return &Watched{ReadSeeker: f.Reader, jpeg: jpegScreen{File: f}}
}

// Err returns the fault that has ended reading; nil if there is none.
func (w *Watched) Err() error { return w.err }

// Read implements io.Reader.
func (w *Watched) Read(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.ReadSeeker.Read(b)
	if known := w.seen - w.place; known >= 0 && known < int64(n) {
		w.err = w.jpeg.feed(b[known:n])
		w.seen = w.place + int64(n)
	}
	w.place += int64(n)
	if w.err != nil {
		return 0, w.err
	}
	return n, err
}

// Seek implements io.Seeker.
func (w *Watched) Seek(offset int64, whence int) (place int64, err error) {
	w.place, err = w.ReadSeeker.Seek(offset, whence)
	return w.place, err
}
