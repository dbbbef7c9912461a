package gainmap

import (
	"bytes"
	"encoding/binary"
	"iter"

	"github.com/safelight/safelight/imaging/container"
)

// soi starts a JPEG.
const soi = "\xFF\xD8"

// Longest that is kept of a map: a description by ISO 21496-1 with three channels has 142 bytes.
const (
	maxISO = 512
	maxICC = 64 << 10
)

// segment is one of a JPEG in memory.
type segment struct {
	container.Segment
	data []byte
}

func (s segment) is(marker byte, name string) bool {
	return s.Marker == marker && bytes.HasPrefix(s.data, []byte(name))
}

// segments goes through those up to the start of the first scan, as far as they are whole.
func segments(file []byte) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		f, count := container.Of(file), 0
		for s, err := range container.JPEG(f) {
			if count++; err != nil || count > maxSegments || s.Length < 2 {
				return
			}
			data, err := f.At(s.Start(), s.Size())
			if err != nil || !yield(segment{s, data}) || s.Marker == container.SOS {
				return
			}
		}
	}
}

// appendSegment adds a segment of that data; what is too long for one is left out.
func appendSegment(b []byte, marker byte, data ...[]byte) []byte {
	size := 2
	for _, d := range data {
		size += len(d)
	}
	if size > 0xFFFF {
		return b
	}
	b = binary.BigEndian.AppendUint16(append(b, 0xFF, marker), uint16(size))
	for _, d := range data {
		b = append(b, d...)
	}
	return b
}
