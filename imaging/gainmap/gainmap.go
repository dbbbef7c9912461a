// Package gainmap carries the HDR gain map of a JPEG over to a result: Ultra HDR and ISO 21496-1, where a second JPEG
// behind the first says how much brighter a bright screen shows each place. It finds the map and what describes it,
// scales its pixels, and joins it to another JPEG. Pure Go; it decodes and encodes nothing.
package gainmap

import (
	"encoding/binary"
	"io"

	"github.com/safelight/safelight/imaging"
)

// Bounds for reading a file.
const (
	maxMapBytes = 32 << 20
	maxPictures = 16 // that a file lists
	maxHead     = 1 << 20
	usualHead   = 128 << 10 // of a picture, in which most files list their pictures
	maxMapHead  = 64 << 10  // of a map, in which it describes itself and its size
	maxSegments = 200
)

// Map is a gain map.
type Map struct {
	File   []byte // a JPEG
	Header imaging.GainMap
	meta   meta
}

// meta is what a map says of itself, as far as results keep it.
type meta struct {
	xmp properties // nil: none
	iso []byte     // the segment of ISO 21496-1; nil: none
	icc [][]byte   // segments of the color profile
}

// Find returns the gain map of the JPEG that r reads. It returns nil for a file without one, or with one that is not
// as it should be; the error is that of reading.
func Find(r io.ReadSeeker) (*Map, error) { return find(r, maxMapBytes) }

// Survey returns what the header of the gain map says that Find returns, and reads no more than that of the file. The
// zero value: there is no map.
func Survey(r io.ReadSeeker) (imaging.GainMap, error) {
	m, err := find(r, maxMapHead)
	if m == nil {
		return imaging.GainMap{}, err
	}
	return m.Header, nil
}

// find reads that many bytes of a map at most.
func find(r io.ReadSeeker, most int64) (*Map, error) {
	head, err := readHead(r)
	if err != nil {
		return nil, err
	}
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	for _, p := range pictures(head) {
		if p.start <= 0 || p.size < 4 || p.size > maxMapBytes || p.start+p.size > size {
			continue
		}
		data, err := readPart(r, p.start, min(p.size, most))
		if err != nil {
			return nil, err
		}
		if m := parse(data); m != nil {
			m.Header.Bytes = p.size
			return m, nil
		}
	}
	return nil, nil
}

// parse returns the JPEG as a gain map; nil if it does not describe itself as one, or is no baseline JPEG in one scan.
// Phones and libultrahdr write no other kind, and any other is decoded with all its coefficients in memory, up to 6
// bytes a pixel, however small the result is.
func parse(data []byte) *Map {
	m := Map{File: data}
	icc := 0
	for s := range segments(data[:min(len(data), maxMapHead)]) {
		switch {
		case isFrame(s.marker):
			if m.Header.Width > 0 || !m.frame(s) {
				return nil
			}
		case s.marker == sos && (len(s.data) == 0 || int(s.data[0]) != m.Header.Bands):
			return nil
		case s.is(app1, xmpName) && m.meta.xmp == nil:
			m.meta.xmp = parseXMP(s.data[len(xmpName):])
		case s.is(app2, isoName) && m.meta.iso == nil && len(s.data) <= len(isoName)+maxISO && len(s.data) > len(isoName)+4:
			m.meta.iso = s.data
		case s.is(app2, iccName) && icc+len(s.data) <= maxICC:
			icc += len(s.data)
			m.meta.icc = append(m.meta.icc, s.data)
		}
	}
	if m.Header.Width == 0 || m.meta.xmp == nil && m.meta.iso == nil {
		return nil
	}
	return &m
}

// frame reads the segment of a frame (T.81, B.2.2). It returns false for one that is not baseline, or not gray or of
// three components.
func (m *Map) frame(s segment) bool {
	if s.marker != sof0 && s.marker != sof1 || len(s.data) < 6 || s.data[0] != 8 {
		return false
	}
	m.Header.Height, m.Header.Width = int(binary.BigEndian.Uint16(s.data[1:])), int(binary.BigEndian.Uint16(s.data[3:]))
	m.Header.Bands = int(s.data[5])
	return m.Header.Width > 0 && m.Header.Height > 0 && (m.Header.Bands == 1 || m.Header.Bands == 3)
}

// part is bytes of a file.
type part struct{ start, size int64 }

// pictures returns where the pictures after the first are that the file lists by CIPA DC-007 (MPF).
func pictures(head []byte) []part {
	for s := range segments(head) {
		if s.is(app2, MPFName) {
			return listed(s.data[len(MPFName):], int64(s.at+len(MPFName)))
		}
	}
	return nil
}

// tagPictures is the tag of MPF's list of pictures.
const tagPictures = 0xB002

// listed reads the directory of an MPF segment, whose places count from where it begins in the file.
func listed(b []byte, at int64) (list []part) {
	if len(b) < 8 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 'M' {
		order = binary.BigEndian
	}
	first := int64(order.Uint32(b[4:]))
	if first+2 > int64(len(b)) {
		return nil
	}
	entries := b[first+2:]
	for range order.Uint16(b[first:]) {
		if len(entries) < 12 {
			return nil
		}
		if order.Uint16(entries) == tagPictures {
			size, start := int64(order.Uint32(entries[4:])), int64(order.Uint32(entries[8:]))
			if size > 16*maxPictures || start+size > int64(len(b)) {
				return nil
			}
			for p := b[start : start+size]; len(p) >= 16; p = p[16:] {
				if offset := int64(order.Uint32(p[8:])); offset > 0 { // that of the first picture is 0
					list = append(list, part{at + offset, int64(order.Uint32(p[4:]))})
				}
			}
			return list
		}
		entries = entries[12:]
	}
	return nil
}

// readHead returns the start of the file with its list of pictures, or its first megabyte.
func readHead(r io.ReadSeeker) ([]byte, error) {
	if m, ok := r.(interface{ Bytes() []byte }); ok {
		b := m.Bytes()
		return b[:min(len(b), maxHead)], nil
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(r, usualHead))
	if err != nil || pictures(head) != nil {
		return head, err
	}
	rest, err := io.ReadAll(io.LimitReader(r, maxHead-usualHead))
	return append(head, rest...), err
}

// readPart returns bytes of the file, where they are if it is in memory.
func readPart(r io.ReadSeeker, start, size int64) ([]byte, error) {
	if m, ok := r.(interface{ Bytes() []byte }); ok {
		if b := m.Bytes(); start+size <= int64(len(b)) {
			return b[start : start+size], nil
		}
	}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	b := make([]byte, size)
	n, err := io.ReadFull(r, b)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return b[:n], err
}
