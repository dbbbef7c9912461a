package vips

import (
	"encoding/binary"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
	"github.com/safelight/safelight/imaging/gainmap"
)

// maxSurveyed is how many segments of a JPEG are looked at before libvips is asked instead; a long color profile has
// 40.
const maxSurveyed = 100

// surveyJPEG reads the header of a JPEG as libvips does, without starting libvips. ok is false for a file that is out
// of the ordinary: libvips reads it, or says what is wrong with it.
func surveyJPEG(src imaging.Source) (h imaging.Header, ok bool) {
	h = imaging.Header{Format: imaging.JPEG, Bytes: src.Size, Pages: 1, Orientation: 1, Depth: 8}
	hasList := false
	if ok = surveySegments(container.Open(src.Reader, -1), &h, &hasList); hasList {
		var err error
		h.GainMap, err = gainmap.Survey(src.Reader)
		ok = ok && err == nil
	}
	return h, ok
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
			// with fewer components than the frame, all of the picture is kept between scans
			h.Whole = h.Whole || int(s.Head[0]) < h.Bands
			return true
		case container.SOF0, container.SOF1, container.SOF2:
			h.Whole = s.Marker == container.SOF2
			ok = h.Width == 0 && surveyFrame(s.Head, h)
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

// surveyFrame reads precision, height, width and components.
func surveyFrame(b []byte, h *imaging.Header) bool {
	if len(b) < 6 || b[0] != 8 {
		return false
	}
	h.Height, h.Width, h.Bands = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:])), int(b[5])
	return h.Width > 0 && h.Height > 0 && (h.Bands == 1 || h.Bands == 3 || h.Bands == 4)
}

// tagOrientation is EXIF's tag of the orientation.
const tagOrientation = 0x0112

// surveyEXIF reads the orientation. It leaves XMP, whose segments have the same marker, alone, and a value that libvips
// would not take to libvips.
func surveyEXIF(file *container.File, s container.Segment, h *imaging.Header) bool {
	if !s.Starts(file, s.Marker, container.EXIFName) {
		return !s.Starts(file, s.Marker, "Exif")
	}
	h.EXIF = true
	d, err := container.FirstDirectory(file, s.Start()+int64(len(container.EXIFName)), s.End())
	if err != nil || d.IsBig {
		return false
	}
	for e, err := range d.Entries(file) {
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
