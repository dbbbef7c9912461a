package vips

import (
	"encoding/binary"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// Bounds of what is read here: libvips is asked about other files.
const (
	maxSurveyedChunks = 50 // before the pixels
	maxSurveyedSide   = 1<<16 - 1
)

// surveyPNG reads the header of a PNG as libvips does, without starting libvips. ok is false for a file that is out of
// the ordinary: one with EXIF data, transparency outside of a palette, or long sides.
func surveyPNG(src imaging.Source) (h imaging.Header, ok bool) {
	h = imaging.Header{Format: imaging.PNG, Bytes: src.Size, Pages: 1, Orientation: 1}
	file := container.Open(src.Reader, -1)
	hasPalette, count := false, 0
	for c, err := range container.PNG(file) {
		if count++; err != nil || count > maxSurveyedChunks || (count == 1) != (c.Kind == "IHDR") {
			return h, false
		}
		switch c.Kind {
		case "IHDR":
			b, err := file.At(c.Start, 13)
			if err != nil || c.Size != 13 {
				return h, false
			}
			if hasPalette, ok = surveyIHDR(b, &h); !ok {
				return h, false
			}
		case "tRNS":
			if !hasPalette || h.Alpha {
				return h, false
			}
			h.Bands, h.Alpha = 4, true
		case "iCCP":
			h.Profile = true
		case "eXIf":
			return h, false
		case "IDAT":
			return h, true
		}
	}
	return h, false
}

// surveyIHDR reads size, depth, kind of color and interlacing.
func surveyIHDR(b []byte, h *imaging.Header) (hasPalette, ok bool) {
	width, height := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if width == 0 || height == 0 || max(width, height) > maxSurveyedSide {
		return false, false
	}
	h.Width, h.Height, h.Depth = int(width), int(height), max(int(b[8]), 8)
	h.Whole = b[12] != 0
	switch b[9] {
	case 0:
		h.Bands = 1
	case 2:
		h.Bands = 3
	case 3:
		h.Bands, hasPalette = 3, true
	case 4:
		h.Bands, h.Alpha = 2, true
	case 6:
		h.Bands, h.Alpha = 4, true
	}
	return hasPalette, h.Bands > 0 && (h.Depth == 8 || b[8] == 16 && !hasPalette) && b[12] <= 1
}

// Bits of the first byte of a WebP's VP8X chunk.
const (
	webpAnimated = 1 << 1
	webpEXIF     = 1 << 3
	webpAlpha    = 1 << 4
	webpProfile  = 1 << 5
)

// surveyWebP reads the header of a WebP still as libvips does, without starting libvips. ok is false for a file that is
// out of the ordinary: an animation, or one with EXIF data.
func surveyWebP(src imaging.Source) (h imaging.Header, ok bool) {
	h = imaging.Header{Format: imaging.WebP, Bytes: src.Size, Pages: 1, Orientation: 1, Depth: 8, Bands: 3}
	file := container.Open(src.Reader, -1)
	count := 0
	for c, err := range container.WebP(file) {
		if count++; err != nil || count > maxSurveyedChunks {
			return h, false
		}
		switch c.Kind {
		case "VP8X":
			b, err := file.At(c.Start, 10)
			if err != nil || count > 1 || b[0]&(webpAnimated|webpEXIF) != 0 {
				return h, false
			}
			h.Alpha, h.Profile = b[0]&webpAlpha != 0, b[0]&webpProfile != 0
			h.Width, h.Height = 1+uint24(b[4:]), 1+uint24(b[7:])
		case "VP8 ":
			b, err := file.At(c.Start, 10)
			if err != nil || string(b[3:6]) != "\x9d\x01\x2a" {
				return h, false
			}
			ok = surveyFrameSize(&h, binary.LittleEndian.Uint16(b[6:]), binary.LittleEndian.Uint16(b[8:]))
			return h, ok
		case "VP8L":
			b, err := file.At(c.Start, 5)
			if err != nil || b[0] != 0x2f {
				return h, false
			}
			bits := binary.LittleEndian.Uint32(b[1:])
			if count == 1 {
				h.Alpha = bits>>28&1 != 0
			}
			ok = surveyFrameSize(&h, 1+uint16(bits&0x3fff), 1+uint16(bits>>14&0x3fff))
			return h, ok
		}
	}
	return h, false
}

// surveyFrameSize takes the size that the frame of a WebP says, in 14 bits. It returns false if the file said another
// before.
func surveyFrameSize(h *imaging.Header, width, height uint16) bool {
	w, t := int(width&0x3fff), int(height&0x3fff)
	if h.Width == 0 {
		h.Width, h.Height = w, t
	}
	if h.Alpha {
		h.Bands = 4
	}
	return w == h.Width && t == h.Height && w > 0 && t > 0
}

// uint24 returns the number in the first three bytes.
func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
