package vips

import (
	"io"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/screen"
)

// screen checks the structure of a file before libvips reads it, and hides the parts that libvips does not need.
func (j *job) screen(in *input) error {
	f := screen.File{
		Name:      in.name,
		Format:    in.header.Format,
		Data:      in.source.data,
		Reader:    in.source.reader,
		MaxPixels: j.limits.MaxSourcePixels,
	}
	kept, err := f.Check()
	if err != nil {
		return unreadable(err, in.name)
	}
	if kept != nil {
		in.source.close()
		in.source = memorySource(kept)
		in.source.isCut = true
	}
	// libpng inflates all data after the last row, without producing rows
	if in.source.data != nil && in.header.Format == imaging.PNG {
		in.source.stoppable(j.stop)
	}
	if r := in.source.reader; r != nil {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return unreadable(err, in.name)
		}
	}
	return nil
}
