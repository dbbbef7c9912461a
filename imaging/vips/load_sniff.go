package vips

import (
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
	head, err := imaging.ReadHead(src.Reader)
	if err != nil {
		return "", unreadable(err, src.Name)
	}
	if len(head) == 0 {
		return "", fault.New(fault.CorruptImage, "The file %s is empty", src.Name)
	}
	return sniff(head), nil
}

// unreadable keeps a fault as it is; any other error means that storage does not answer.
func unreadable(err error, name string) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "The file %s cannot be read", name)
}
