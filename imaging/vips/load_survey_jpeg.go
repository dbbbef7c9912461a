package vips

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/gainmap"
)

// maxSurveyed is how many segments of a JPEG are looked at before libvips is asked instead; a long color profile has
// 40.
const maxSurveyed = 100

// surveyJPEG reads the header of a JPEG as libvips does, without starting libvips. ok is false for a file that is out
// of the ordinary: libvips reads it, or says what is wrong with it.
func surveyJPEG(src imaging.Source) (h imaging.Header, ok bool) {
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return h, false
	}
	r := bufio.NewReaderSize(src.Reader, 4096)
	if start, err := r.Peek(2); err != nil || string(start) != "\xFF\xD8" {
		return h, false
	}
	_, _ = r.Discard(2)
	h = imaging.Header{Format: imaging.JPEG, Bytes: src.Size, Pages: 1, Orientation: 1, Depth: 8}
	listed := false
	defer func() {
		if listed {
			var err error
			h.GainMap, err = gainmap.Survey(src.Reader)
			ok = ok && err == nil
		}
	}()
	for range maxSurveyed {
		head, err := r.Peek(4)
		if err != nil || head[0] != 0xFF || head[1] == 0xFF {
			return h, false
		}
		marker, size := head[1], int(binary.BigEndian.Uint16(head[2:]))
		if _, err := r.Discard(4); err != nil || size < 2 {
			return h, false
		}
		segment := segmentReader{r, size - 2}
		switch {
		case marker == 0xDA:
			return h, h.Width > 0 && segment.scan(&h)
		case marker == 0xC0, marker == 0xC1, marker == 0xC2:
			h.Whole = marker == 0xC2
			ok = h.Width == 0 && segment.frame(&h)
		case marker == 0xE1:
			ok = segment.exif(&h)
		case marker == 0xE2:
			ok = segment.profile(&h, &listed)
		default:
			ok = marker >= 0xE0 && marker <= 0xEF || marker == 0xFE || marker == 0xDB || marker == 0xC4 ||
				marker == 0xDD
		}
		if _, err := r.Discard(segment.left); !ok || err != nil {
			return h, false
		}
	}
	return h, false
}

// segmentReader reads what is left of a segment.
type segmentReader struct {
	r    *bufio.Reader
	left int
}

// take returns the next n bytes, which stay until the next call.
func (s *segmentReader) take(n int) (b []byte, ok bool) {
	if n > s.left || n > s.r.Size() {
		return nil, false
	}
	b, err := s.r.Peek(n)
	if err != nil {
		return nil, false
	}
	_, _ = s.r.Discard(n)
	s.left -= n
	return b, true
}

// frame reads the size: precision, height, width, components.
func (s *segmentReader) frame(h *imaging.Header) bool {
	b, ok := s.take(6)
	if !ok || b[0] != 8 {
		return false
	}
	h.Height, h.Width, h.Bands = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:])), int(b[5])
	return h.Width > 0 && h.Height > 0 && (h.Bands == 1 || h.Bands == 3 || h.Bands == 4)
}

// scan reads how many components the first scan has: with fewer than the frame, all of the picture is kept between
// scans.
func (s *segmentReader) scan(h *imaging.Header) bool {
	b, ok := s.take(1)
	if ok && int(b[0]) < h.Bands {
		h.Whole = true
	}
	return ok
}

// profile looks for a part of a color profile, and for a list of pictures, whose segments have the same marker.
func (s *segmentReader) profile(h *imaging.Header, listed *bool) bool {
	head, ok := s.take(min(12, s.left))
	h.Profile = h.Profile || string(head) == "ICC_PROFILE\x00"
	*listed = *listed || bytes.HasPrefix(head, []byte(gainmap.MPFName))
	return ok
}

// exif reads the orientation. It leaves XMP, whose segments have the same marker, alone.
func (s *segmentReader) exif(h *imaging.Header) bool {
	head, ok := s.take(min(14, s.left))
	if !ok || !bytes.HasPrefix(head, []byte("Exif\x00\x00")) {
		return ok && !bytes.HasPrefix(head, []byte("Exif"))
	}
	if len(head) < 14 {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(head[6:8]) == "MM" {
		order = binary.BigEndian
	} else if string(head[6:8]) != "II" {
		return false
	}
	first := int64(order.Uint32(head[10:]))
	if order.Uint16(head[8:]) != 42 || first < 8 || first-8 > int64(s.left) {
		return false
	}
	if _, err := s.r.Discard(int(first - 8)); err != nil {
		return false
	}
	s.left -= int(first - 8)
	return s.orientation(h, order)
}

// orientation looks for the tag in the directory that follows. A value that libvips would not take is left to it.
func (s *segmentReader) orientation(h *imaging.Header, order binary.ByteOrder) bool {
	b, ok := s.take(2)
	if !ok {
		return false
	}
	for range order.Uint16(b) {
		entry, ok := s.take(12)
		if !ok {
			return false
		}
		if order.Uint16(entry) != 0x0112 {
			continue
		}
		n := int(order.Uint16(entry[8:]))
		if order.Uint16(entry[2:]) != 3 || order.Uint32(entry[4:]) != 1 || n < 1 || n > 8 {
			return false
		}
		h.Orientation = n
		return true
	}
	return true
}
