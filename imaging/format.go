package imaging

import (
	"bytes"
	"strings"
)

// ParseFormat reads a format's name or usual file extension, with or without a dot; ok is false for an unknown one.
func ParseFormat(s string) (f Format, ok bool) {
	s = strings.ToLower(strings.TrimPrefix(s, "."))
	switch s {
	case "jpg", "jpe", "jfif":
		return JPEG, true
	case "tif":
		return TIFF, true
	case "heic":
		return HEIF, true
	case "j2k", "jpx", "jpeg2000":
		return JP2, true
	}
	return Format(s), Format(s).ContentType() != ""
}

// ContentType returns the format's media type; empty for an unknown format.
func (f Format) ContentType() string {
	switch f {
	case JPEG, PNG, GIF, WebP, AVIF, HEIF, TIFF, JXL, JP2, BMP:
		return "image/" + string(f)
	case SVG:
		return "image/svg+xml"
	case PDF:
		return "application/pdf"
	}
	return ""
}

// Extension returns the usual file extension without a dot.
func (f Format) Extension() string {
	switch f {
	case JPEG:
		return "jpg"
	case TIFF:
		return "tif"
	case HEIF:
		return "heic"
	}
	return string(f)
}

// CanAnimate reports whether the format holds animations that browsers play.
func (f Format) CanAnimate() bool { return f == GIF || f == WebP }

// HasAlpha reports whether the format can hold transparency.
func (f Format) HasAlpha() bool { return f != JPEG && f != BMP }

// IsLossy reports whether the format's encoder takes a quality.
func (f Format) IsLossy() bool { return f != PNG && f != GIF && f != BMP }

// SniffLength is how many bytes SniffFormat needs at most.
const SniffLength = 4096

// SniffFormat tells a format from the first bytes of a file; the empty format when it knows none.
func SniffFormat(header []byte) Format {
	header = header[:min(len(header), SniffLength)]
	has := func(magic string) bool { return bytes.HasPrefix(header, []byte(magic)) }
	switch {
	case has("\xFF\xD8\xFF"):
		return JPEG
	case has("\x89PNG\r\n\x1A\n"):
		return PNG
	case has("GIF87a"), has("GIF89a"):
		return GIF
	case has("RIFF") && len(header) >= 12 && string(header[8:12]) == "WEBP":
		return WebP
	case has("II*\x00"), has("MM\x00*"), has("II+\x00"), has("MM\x00+"):
		return TIFF
	case has("\xFF\x0A"), has("\x00\x00\x00\x0CJXL \r\n\x87\n"):
		return JXL
	case has("\x00\x00\x00\x0CjP  \r\n\x87\n"), has("\xFF\x4F\xFF\x51"):
		return JP2
	case has("%PDF-"):
		return PDF
	case has("BM") && len(header) >= 18 && header[14] >= 12 && bytes.Equal(header[6:10], make([]byte, 4)):
		return BMP
	case len(header) >= 12 && string(header[4:8]) == "ftyp":
		return sniffHEIF(header)
	case isSVG(header):
		return SVG
	}
	return ""
}

// sniffHEIF reads the brands of an ISO base media file: the major one first, then the compatible ones.
func sniffHEIF(header []byte) Format {
	size := int(header[0])<<24 | int(header[1])<<16 | int(header[2])<<8 | int(header[3])
	end := min(max(size, 12), len(header))
	for i := 8; i+4 <= end; i += 4 {
		if i == 12 {
			continue // the minor version is a number, not a brand
		}
		switch string(header[i : i+4]) {
		case "avif", "avis":
			return AVIF
		case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs":
			return HEIF
		}
	}
	return ""
}

// isSVG looks for an svg root element behind byte order mark, declaration, comments and doctype.
func isSVG(header []byte) bool {
	b := bytes.TrimLeft(bytes.TrimPrefix(header, []byte("\xEF\xBB\xBF")), " \t\r\n")
	for {
		switch {
		case bytes.HasPrefix(b, []byte("<svg")), bytes.HasPrefix(b, []byte("<svg:svg")):
			return true
		case bytes.HasPrefix(b, []byte("<!--")):
			b = after(b, "-->")
		case bytes.HasPrefix(b, []byte("<?")):
			b = after(b, "?>")
		case bytes.HasPrefix(b, []byte("<!DOCTYPE svg")), bytes.HasPrefix(b, []byte("<!doctype svg")):
			return true
		default:
			return false
		}
		b = bytes.TrimLeft(b, " \t\r\n")
	}
}

func after(b []byte, end string) []byte {
	_, rest, _ := bytes.Cut(b, []byte(end))
	return rest
}
