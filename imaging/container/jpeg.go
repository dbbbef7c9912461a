package container

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	TEM   = 0x01
	SOF0  = 0xC0
	SOF1  = 0xC1
	SOF2  = 0xC2
	DHT   = 0xC4
	JPG   = 0xC8
	DAC   = 0xCC
	RST0  = 0xD0
	SOI   = 0xD8
	EOI   = 0xD9
	SOS   = 0xDA
	DQT   = 0xDB
	DRI   = 0xDD
	APP0  = 0xE0
	APP1  = 0xE1
	APP2  = 0xE2
	APP15 = 0xEF
	COM   = 0xFE
)

// The content of a segment starts with one of these names.
const (
	EXIFName    = "Exif\x00\x00"
	XMPName     = "http://ns.adobe.com/xap/1.0/\x00"
	ProfileName = "ICC_PROFILE\x00"
	MPFName     = "MPF\x00"                         // CIPA DC-007: a list of further pictures
	GainMapName = "urn:iso:std:iso:ts:21496:-1\x00" // ISO 21496-1
)

// IsSOF reports whether a marker starts a frame.
func IsSOF(marker byte) bool {
	return marker >= SOF0 && marker <= 0xCF && marker != DHT && marker != JPG && marker != DAC
}

// segmentHead is how many bytes of a segment's content a walk reads: enough for the size and the number of components
// of a frame.
const segmentHead = 6

// Segment is a marker segment of a JPEG.
type Segment struct {
	Marker byte
	At     int64  // offset of the marker's 0xFF
	Length int    // length in the file, including itself; below 2 it is damaged, and decoders continue after it
	Head   []byte // the first bytes of the content, at most 6; valid until the next step
	// Adjoins means that the segment immediately follows the previous segment, or the SOI at the start of the file.
	// Decoders skip fill bytes, damage and standalone markers.
	Adjoins bool
}

// Frame is the start of a frame header (T.81, B.2.2).
type Frame struct{ Depth, Height, Width, Components int }

// Frame returns the header of the frame that the segment starts; ok is false if it starts none, or is too short.
func (s Segment) Frame() (f Frame, ok bool) {
	if !IsSOF(s.Marker) || len(s.Head) < segmentHead {
		return f, false
	}
	height, width := binary.BigEndian.Uint16(s.Head[1:]), binary.BigEndian.Uint16(s.Head[3:])
	return Frame{int(s.Head[0]), int(height), int(width), int(s.Head[5])}, true
}

// Start returns where the content starts, after the length. Size returns the length of the content in bytes.
func (s Segment) Start() int64 { return s.At + 4 }
func (s Segment) Size() int    { return max(s.Length-2, 0) }

// End returns where the next segment, or the data of a scan, starts.
func (s Segment) End() int64 {
	if s.Marker == EOI {
		return s.At + 2
	}
	return s.Start() + int64(s.Size())
}

// Starts reports whether the segment has the given marker and its content starts with text.
func (s Segment) Starts(f *File, marker byte, text string) bool {
	if s.Marker != marker || s.Size() < len(text) {
		return false
	}
	b, err := f.At(s.Start(), len(text))
	return err == nil && string(b) == text
}

// JPEG walks the segments of a JPEG up to its EOI, which is the last item. Like decoders, it searches for the next
// marker at the end of a segment or a scan, and skips standalone markers. Only the first six bytes of a segment's
// content are known to be in the file.
func JPEG(f *File) iter.Seq2[Segment, error] {
	return func(yield func(Segment, error) bool) {
		w := jpegWalk{file: f}
		for {
			s, err := w.next()
			if !yield(s, err) || err != nil || s.Marker == EOI {
				return
			}
		}
	}
}

// jpegWalk is a walk over a JPEG.
type jpegWalk struct {
	file *File
	at   int64 // where to look on
	end  int64 // end of the previous segment, or of the SOI at the start; 0: there is none
	head [segmentHead]byte
}

// next returns the next segment.
func (w *jpegWalk) next() (Segment, error) {
	for {
		b, err := w.file.from(w.at, 2)
		if err != nil {
			return Segment{At: w.at}, err
		}
		if b[0] != 0xFF {
			n := bytes.IndexByte(b[:len(b)-1], 0xFF)
			if n < 0 {
				n = len(b) - 1
			}
			w.at += int64(n)
			continue
		}
		switch marker := b[1]; {
		case marker == 0xFF:
			w.at++ // a fill byte
		case marker <= TEM, marker >= RST0 && marker <= SOI: // byte stuffing, or a standalone marker
			if w.at += 2; marker == SOI && w.at == 2 {
				w.end = 2
			}
		default:
			return w.segment(marker)
		}
	}
}

// segment returns the segment that starts with the marker.
func (w *jpegWalk) segment(marker byte) (Segment, error) {
	s := Segment{Marker: marker, At: w.at, Adjoins: w.end > 0 && w.at == w.end}
	if marker != EOI {
		b, err := w.file.At(w.at+2, 2)
		if err != nil {
			return s, err
		}
		s.Length = int(binary.BigEndian.Uint16(b))
		if b, err = w.file.At(s.Start(), min(s.Size(), segmentHead)); err != nil {
			return s, err
		}
		s.Head = w.head[:copy(w.head[:], b)]
	}
	w.at, w.end = s.End(), s.End()
	return s, nil
}
