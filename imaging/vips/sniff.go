package vips

import (
	"io"

	"github.com/h2non/bimg"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// sniffBytes is how much of a file is looked at to tell its format.
const sniffBytes = 4096

// sniff tells a file's format from its first bytes, whatever its name says; empty when it is
// none that we know.
func sniff(head []byte) imaging.Format {
	if len(head) > sniffBytes {
		head = head[:sniffBytes]
	}
	if f := imaging.SniffFormat(head); f != "" {
		return f
	}
	f, _ := imaging.ParseFormat(bimg.DetermineImageTypeName(head))
	return f
}

// sniffReader is sniff over a reader, which it leaves at its start.
func sniffReader(src imaging.Source) (imaging.Format, error) {
	head := make([]byte, sniffBytes)
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return "", unreadable(err, src.Name)
	}
	n, err := io.ReadFull(src.Reader, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", unreadable(err, src.Name)
	}
	if n == 0 {
		return "", fault.New(fault.CorruptImage, "The file %s is empty", src.Name)
	}
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return "", unreadable(err, src.Name)
	}
	return sniff(head[:n]), nil
}

// unreadable keeps a fault as it is; any other error means that storage does not answer.
func unreadable(err error, name string) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The file %s cannot be read", name)
}
