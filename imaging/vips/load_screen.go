package vips

import (
	"bytes"
	"io"

	"github.com/safelight/safelight/imaging/screen"
)

// screen has the structure of a file checked before libvips sees it, and hides from libvips what it need not see.
func (j *job) screen(in *input) error {
	f := screen.File{Name: in.name, Format: in.header.Format, Data: in.source.data, Reader: in.source.reader, MaxPixels: j.limits.MaxSourcePixels}
	parts, err := f.Check()
	if err != nil {
		return unreadable(err, in.name)
	}
	if parts != nil {
		in.source = in.source.only(parts)
		return nil
	}
	if r := in.source.reader; r != nil {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return unreadable(err, in.name)
		}
	}
	return nil
}

// only returns a source over parts of s, which is closed with it.
func (s *source) only(parts []screen.Part) *source {
	r := s.reader
	if s.data != nil {
		r = bytes.NewReader(s.data)
	}
	out := readerSource(screen.NewReader(r, parts))
	out.whole = s
	return out
}
