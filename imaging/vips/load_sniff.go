package vips

import (
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// sniff tells a file's format from its first bytes, whatever its name says; empty for an
// unknown one. bimg could too, but it asks libvips, which asks ImageMagick about what it
// does not know: strangers' bytes must not get there.
func sniff(data []byte) imaging.Format {
	return imaging.SniffFormat(data[:min(len(data), imaging.SniffLength)])
}

// sniffReader is sniff over a reader, which it leaves at its start.
func sniffReader(src imaging.Source) (imaging.Format, error) {
	head, err := headOf(src.Reader)
	if err != nil {
		return "", unreadable(err, src.Name)
	}
	if len(head) == 0 {
		return "", fault.New(fault.CorruptImage, "The file %s is empty", src.Name)
	}
	return sniff(head), nil
}

// headOf returns the first bytes of a reader, as many as tell the format, or all of fewer. It leaves the reader at its start.
func headOf(r io.ReadSeeker) ([]byte, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	head := make([]byte, imaging.SniffLength)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	_, err = r.Seek(0, io.SeekStart)
	return head[:n], err
}

// unreadable keeps a fault as it is; any other error means that storage does not answer.
func unreadable(err error, name string) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The file %s cannot be read", name)
}
