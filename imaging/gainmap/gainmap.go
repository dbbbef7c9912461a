// Package gainmap transfers the HDR gain map of a JPEG to a result. In Ultra HDR and ISO 21496-1, a second JPEG after
// the first one says how much brighter an HDR screen shows each pixel. The package finds the map and its metadata,
// computes which part of it a result shows, and appends it to another JPEG. It is pure Go, and neither decodes nor
// encodes pixels.
package gainmap

import (
	"errors"
	"io"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// The limits for reading a file.
const (
	maxMapBytes = 32 << 20
	maxPictures = 16       // that a file lists
	maxMapHead  = 64 << 10 // bytes of a map that contain its metadata and its size
	maxSegments = 200
)

// Map is a gain map.
type Map struct {
	File   []byte // a JPEG
	Header imaging.GainMap
	meta   meta
}

// meta is the metadata of a map that results keep.
type meta struct {
	xmp properties // nil: none
	iso []byte     // the segment of ISO 21496-1; nil if there is none
	icc [][]byte   // segments of the color profile
}

// Find returns the gain map of the JPEG that r reads. It returns nil for a file without a map or with an invalid one.
// Errors come only from reading.
func Find(r io.ReadSeeker) (*Map, error) { return find(r, maxMapBytes) }

// Survey returns the header of the gain map that Find would return, without reading the rest of the map. The zero
// value means that there is no map.
func Survey(r io.ReadSeeker) (imaging.GainMap, error) {
	m, err := find(r, maxMapHead)
	if m == nil {
		return imaging.GainMap{}, err
	}
	return m.Header, nil
}

// find is Find that reads at most the given number of bytes of a map.
func find(r io.ReadSeeker, most int64) (*Map, error) {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	file := container.Open(r, size)
	list, err := pictures(file)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		if p.start <= 0 || p.size < 4 || p.size > maxMapBytes || p.start+p.size > size {
			continue
		}
		data, err := file.Bytes(p.start, int(min(p.size, most)))
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

// parse returns the JPEG as a gain map; nil if it has no metadata of one, or is not a baseline JPEG with one scan.
// Phones and libultrahdr write only this kind. Decoding any other kind would keep all coefficients in memory, up to 6
// bytes per pixel, however small the result is.
func parse(data []byte) *Map {
	m := Map{File: data}
	icc := 0
	for s := range segments(data[:min(len(data), maxMapHead)]) {
		switch {
		case container.IsSOF(s.Marker):
			if m.Header.Width > 0 || !m.frame(s) {
				return nil
			}
		case s.Marker == container.SOS && (len(s.data) == 0 || int(s.data[0]) != m.Header.Bands):
			return nil
		case s.is(container.APP1, container.XMPName) && m.meta.xmp == nil:
			m.meta.xmp = parseXMP(s.data[len(container.XMPName):])
		case s.is(container.APP2, container.GainMapName) && m.meta.iso == nil:
			if size := len(s.data) - len(container.GainMapName); size > 4 && size <= maxISO {
				m.meta.iso = s.data
			}
		case s.is(container.APP2, container.ProfileName) && icc+len(s.data) <= maxICC:
			icc += len(s.data)
			m.meta.icc = append(m.meta.icc, s.data)
		}
	}
	if m.Header.Width == 0 || m.meta.xmp == nil && m.meta.iso == nil {
		return nil
	}
	return &m
}

// frame reads the segment of a frame (T.81, B.2.2). It returns false if the frame is not baseline, or has neither one
// nor three components.
func (m *Map) frame(s segment) bool {
	f, ok := s.Frame()
	if !ok || f.Depth != 8 || s.Marker != container.SOF0 && s.Marker != container.SOF1 {
		return false
	}
	m.Header.Width, m.Header.Height, m.Header.Bands = f.Width, f.Height, f.Components
	return m.Header.Width > 0 && m.Header.Height > 0 && (m.Header.Bands == 1 || m.Header.Bands == 3)
}

// part is a range of bytes in a file.
type part struct{ start, size int64 }

// pictures returns the locations of all pictures but the first in the file's list according to CIPA DC-007 (MPF).
// Errors come only from reading.
func pictures(file *container.File) ([]part, error) {
	count := 0
	for s, err := range container.JPEG(file) {
		if count++; err != nil || count > maxSegments || s.Marker == container.SOS {
			return nil, reading(err)
		}
		if s.Starts(file, container.APP2, container.MPFName) {
			list, err := listed(file, s.Start()+int64(len(container.MPFName)), s.End())
			return list, reading(err)
		}
	}
	return nil, nil
}

// tagPictures is the tag of MPF's list of pictures.
const tagPictures = 0xB002

// listed reads the directory of an MPF segment between start and end. Offsets are relative to start. The first
// picture, whose offset is 0, is omitted.
func listed(file *container.File, start, end int64) ([]part, error) {
	d, err := container.FirstDirectory(file, start, end)
	if err != nil {
		return nil, err
	}
	for e, err := range d.Entries() {
		if err != nil {
			return nil, err
		}
		if e.Tag != tagPictures {
			continue
		}
		if e.Count > 16*maxPictures {
			return nil, nil
		}
		b, err := e.Bytes()
		if err != nil {
			return nil, err
		}
		var list []part
		for ; len(b) >= 16; b = b[16:] {
			if offset := int64(d.Order.Uint32(b[8:])); offset > 0 {
				list = append(list, part{start + offset, int64(d.Order.Uint32(b[4:]))})
			}
		}
		return list, nil
	}
	return nil, nil
}

// reading returns err if it is a read error, and nil if it only means that a file is invalid.
func reading(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, container.ErrMalformed) {
		return nil
	}
	return err
}
