package gainmap

import (
	"bytes"
	"encoding/binary"
	"iter"

	"github.com/safelight/safelight/imaging/container"
)

// soi starts a JPEG.
const soi = "\xFF\xD8"

// The max lengths of a map's metadata that is kept. Metadata of ISO 21496-1 with three channels has 142 bytes.
const (
	maxISO = 512
	maxICC = 64 << 10
)

// segment is a segment of a JPEG in memory.
type segment struct {
	container.Segment
	data []byte
}

func (s segment) is(marker byte, name string) bool {
	return s.Marker == marker && bytes.HasPrefix(s.data, []byte(name))
}

// segments iterates over the complete segments before the first scan.
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

// appendSegment appends a segment with data. It omits data that is too long for a segment.
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
