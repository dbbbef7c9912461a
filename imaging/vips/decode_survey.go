package vips

import (
	"context"
	"encoding/binary"
	"io"
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
	"github.com/safelight/safelight/imaging/gainmap"
)

// Survey reads the header of src without pixels, which takes less than a millisecond. The header of a vector has no
// size, because finding it requires the whole file. It leaves the reader at an arbitrary position. The errors are
// those of Info.
func (e *Engine) Survey(ctx context.Context, src imaging.Source, limits imaging.Limits) (imaging.Header, error) {
	if src.Canvas != nil {
		return imaging.Header{}, fault.New(fault.Invalid, "A canvas has no header")
	}
	if ctx.Err() == nil {
		if h, ok := e.Parse(src); ok && !slices.Contains(e.refused, h.Format) {
			return h, nil
		}
	}
	return e.surveyWithLibvips(ctx, src, limits)
}

// Parse is the function Parse. It reads refused formats, too, because it passes them to no decoder.
func (e *Engine) Parse(src imaging.Source) (h imaging.Header, ok bool) { return Parse(src) }

// Parse is Survey for files whose header is read by Go code alone: the usual JPEGs, PNGs and WebP stills. ok is false
// for all others.
func Parse(src imaging.Source) (h imaging.Header, ok bool) {
	format, err := sniffReader(src)
	if err != nil {
		return h, false
	}
	switch format {
	case imaging.JPEG:
		return surveyJPEG(src)
	case imaging.PNG:
		return surveyPNG(src)
	case imaging.WebP:
		return surveyWebP(src)
	}
	return h, false
}

func (e *Engine) surveyWithLibvips(
	ctx context.Context,
	src imaging.Source,
	limits imaging.Limits,
) (header imaging.Header, err error) {
	err = e.run(ctx, nameOf(src), limits, func(j *job) error {
		format, err := sniffReader(src)
		if err != nil {
			return err
		}
		in := &input{
			name:   nameOf(src),
			header: imaging.Header{Format: format, Bytes: src.Size, Pages: 1, Orientation: 1},
		}
		defer func() { header = in.header }()
		if err := j.check(in); err != nil {
			return err
		}
		if format.Traits().Vector { // drawn on a transparent background
			in.header.Bands, in.header.Alpha = 4, true
			return nil
		}
		in.source = readerSource(src.Reader)
		defer in.close()
		if format == imaging.JPEG { // before libvips reads, because libvips expects that nobody else moves its reader
			h, _ := surveyJPEG(src)
			in.takeSurveyed(h)
			if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
				return unreadable(err, in.name)
			}
		}
		return j.readHeader(in, 1)
	})
	return header, err
}

// maxSurveyed is the max number of segments of a JPEG that are read before libvips is used instead; a long color
// profile has 40.
const maxSurveyed = 100

// surveyJPEG reads the header of a JPEG as libvips does, without starting libvips. ok is false for an unusual file,
// which libvips then reads or rejects.
func surveyJPEG(src imaging.Source) (h imaging.Header, ok bool) {
	h = imaging.Header{Format: imaging.JPEG, Bytes: src.Size, Pages: 1, Orientation: 1, Depth: 8}
	hasList := false
	if ok = surveySegments(container.Open(src.Reader, -1), &h, &hasList); hasList || !ok {
		var err error
		h.GainMap, err = gainmap.Survey(src.Reader)
		ok = ok && err == nil
	}
	return h, ok
}

// takeSurveyed adds what libvips does not report about a JPEG.
func (in *input) takeSurveyed(h imaging.Header) {
	in.header.GainMap, in.header.Samples = h.GainMap, h.Samples
}

// surveySegments reads the segments before the first scan. hasList is set if one of them lists further pictures.
func surveySegments(file *container.File, h *imaging.Header, hasList *bool) bool {
	count := 0
	for s, err := range container.JPEG(file) {
		if count++; err != nil || !s.Adjoins || s.Length < 2 || count > maxSurveyed {
			return false
		}
		ok := true
		switch s.Marker {
		case container.SOS:
			if h.Width == 0 || len(s.Head) == 0 {
				return false
			}
			// With fewer components than the frame has, the whole picture is kept between scans.
			h.Whole = h.Whole || int(s.Head[0]) < h.Bands
			return true
		case container.SOF0, container.SOF1, container.SOF2:
			h.Whole = s.Marker == container.SOF2
			ok = h.Width == 0 && surveyFrame(file, s, h)
		case container.APP1:
			ok = surveyEXIF(file, s, h)
		case container.APP2:
			h.Profile = h.Profile || s.Starts(file, s.Marker, container.ProfileName)
			*hasList = *hasList || s.Starts(file, s.Marker, container.MPFName)
		case container.COM, container.DQT, container.DHT, container.DRI:
		default:
			ok = s.Marker >= container.APP0 && s.Marker <= container.APP15
		}
		if !ok {
			return false
		}
	}
	return false
}

// surveyFrame reads the size of the frame and its sampling factors (T.81, B.2.2).
func surveyFrame(file *container.File, s container.Segment, h *imaging.Header) bool {
	frame, ok := s.Frame()
	if !ok || frame.Depth != 8 {
		return false
	}
	h.Width, h.Height, h.Bands = frame.Width, frame.Height, frame.Components
	if h.Width == 0 || h.Height == 0 || h.Bands != 1 && h.Bands != 3 && h.Bands != 4 || s.Size() < 6+3*h.Bands {
		return false
	}
	b, err := file.At(s.Start()+6, 3*h.Bands)
	if err != nil {
		return false
	}
	sum, across, down := 0, 1, 1
	for n := range h.Bands {
		factors := b[3*n+1]
		x, y := int(factors>>4), int(factors&15)
		if x < 1 || x > 4 || y < 1 || y > 4 {
			return false
		}
		sum, across, down = sum+x*y, max(across, x), max(down, y)
	}
	h.Samples = float64(sum) / float64(across*down)
	return true
}

// tagOrientation is EXIF's tag of the orientation.
const tagOrientation = 0x0112

// surveyEXIF reads the orientation. It ignores XMP, whose segments have the same marker. It returns false for a value
// that libvips would not accept.
func surveyEXIF(file *container.File, s container.Segment, h *imaging.Header) bool {
	if !s.Starts(file, s.Marker, container.EXIFName) {
		return !s.Starts(file, s.Marker, "Exif")
	}
	h.EXIF = true
	d, err := container.FirstDirectory(file, s.Start()+int64(len(container.EXIFName)), s.End())
	if err != nil || d.IsBig {
		return false
	}
	for e, err := range d.Entries() {
		if err != nil {
			return false
		}
		if e.Tag == tagOrientation {
			n, _ := e.Number()
			h.Orientation = int(n)
			return e.IsShort() && n >= 1 && n <= 8
		}
	}
	return true
}

// Limits of what is read here. Other files are left to libvips.
const (
	maxSurveyedChunks = 50 // before the pixels
	maxSurveyedSide   = 1<<16 - 1
)

// surveyPNG reads the header of a PNG as libvips does, without starting libvips. ok is false for an unusual file: one
// with EXIF data, transparency outside of a palette, or long sides.
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

// surveyIHDR reads size, depth, color type and interlacing.
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

// surveyWebP reads the header of a WebP still as libvips does, without starting libvips. ok is false for an unusual
// file: an animation, or one with EXIF data.
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

// surveyFrameSize sets the size from the frame of a WebP, in 14 bits. It returns false if the file has given another
// size before.
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
