package imaging

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// SniffLength is the max number of bytes that SniffFormat needs.
const SniffLength = 4096

// ReadHead returns the first bytes of a reader, as many as are needed to detect the format, or all if there are fewer.
// It leaves the reader at its start.
func ReadHead(r io.ReadSeeker) ([]byte, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head := make([]byte, SniffLength)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	_, err = r.Seek(0, io.SeekStart)
	return head[:n], err
}

// SniffFormat detects the format from the first bytes of a file; empty if it is unknown.
func SniffFormat(header []byte) Format {
	header = header[:min(len(header), SniffLength)]
	for n := range formatTable {
		if formatTable[n].matches(header) {
			return formatTable[n].Format
		}
	}
	return ""
}

// magic matches files that begin with one of the texts.
func magic(texts ...string) func([]byte) bool {
	return func(head []byte) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return bytes.HasPrefix(head, []byte(t)) })
	}
}

// sniffHEIF reads the brands of an ISO base media file: the major one first, then the compatible ones.
func sniffHEIF(header []byte) Format {
	if len(header) < 12 || string(header[4:8]) != "ftyp" {
		return ""
	}
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

// isSVG looks for an svg root element after byte order mark, declaration, comments and doctype.
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
