package vips

// #include "sl_decode.h"
import "C"

import (
	"bytes"
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
	parts, err := f.Check()
	if err != nil {
		return unreadable(err, in.name)
	}
	if parts != nil {
		in.source = in.source.only(parts, j.stop)
		return nil
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

// only returns a source over parts of s. Closing it also closes s. It ends with an error once *stop is not 0.
func (s *source) only(parts []screen.Part, stop *C.int) *source {
	r := s.reader
	if s.data != nil {
		r = bytes.NewReader(s.data)
	}
	out := readerSource(stoppableReader{screen.NewReader(r, parts), stop})
	out.whole = s
	return out
}
