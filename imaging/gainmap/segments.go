package gainmap

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Markers of JPEG.
const (
	soi  = "\xFF\xD8"
	app0 = 0xE0
	app1 = 0xE1
	app2 = 0xE2
	sof0 = 0xC0
	sof1 = 0xC1
	sos  = 0xDA
)

// MPFName begins the segment that lists the pictures after the first.
const MPFName = "MPF\x00"

// What segments begin with that are of use here.
const (
	xmpName = "http://ns.adobe.com/xap/1.0/\x00"
	isoName = "urn:iso:std:iso:ts:21496:-1\x00"
	iccName = "ICC_PROFILE\x00"
)

// Longest that is kept of a map: a description by ISO 21496-1 with three channels has 142 bytes.
const (
	maxISO = 512
	maxICC = 64 << 10
)

// segment is one of a JPEG.
type segment struct {
	marker byte
	data   []byte
	at     int // of the data in the file
}

func (s segment) is(marker byte, name string) bool {
	return s.marker == marker && bytes.HasPrefix(s.data, []byte(name))
}

// start and end are those of the segment with its marker.
func (s segment) start() int { return s.at - 4 }
func (s segment) end() int   { return s.at + len(s.data) }

// isFrame reports whether a marker starts a frame.
func isFrame(marker byte) bool {
	return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
}

// segments goes through those up to the start of the first scan, as far as they are whole.
func segments(file []byte) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		if !bytes.HasPrefix(file, []byte(soi)) {
			return
		}
		at := len(soi)
		for range maxSegments {
			for at < len(file) && file[at] == 0xFF && at+1 < len(file) && file[at+1] == 0xFF { // fill bytes
				at++
			}
			if at+4 > len(file) || file[at] != 0xFF {
				return
			}
			size := int(binary.BigEndian.Uint16(file[at+2:]))
			if size < 2 || at+2+size > len(file) {
				return
			}
			if !yield(segment{file[at+1], file[at+4 : at+2+size], at + 4}) || file[at+1] == sos {
				return
			}
			at += 2 + size
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
