// Package screen reads the structure of a file in Go before a decoder in C does, and rejects what would cost a decoder
// far more than the file's size and dimensions show: text that inflates to gigabytes, thousands of boxes, pages or
// scans, dimensions that a decoder reserves memory for before anyone can object. It decodes no pixels and reports no
// damage: a structure that it cannot follow is left to the decoder.
package screen

import (
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// File is a file to be checked.
type File struct {
	Name      string // for messages
	Format    imaging.Format
	Data      []byte        // all of it; nil: Reader is read, and only what precedes the pixels is checked
	Reader    io.ReadSeeker // left anywhere
	MaxPixels int64         // of one picture; 0: no limit
}

// Check returns fault.TooLarge for a file that would cost a decoder too much, fault.CorruptImage for dimensions that
// make no picture, and fault.UnsupportedType for one that decoders show wrongly. parts is not nil if a decoder must
// not see the whole file: it is to be given a NewReader over them instead. An error of the Reader is returned as it
// is.
func (f File) Check() (parts []Part, err error) {
	check := f.check()
	if check == nil {
		return nil, nil
	}
	v := &view{window: f.Data, size: int64(len(f.Data))}
	if f.Data == nil {
		v.r = f.Reader
		if v.size, err = f.Reader.Seek(0, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	parts, err = check(v)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // the decoder says what is missing
	}
	if err != nil {
		return nil, err
	}
	return parts, nil
}

// check returns what is checked of the format; nil for nothing.
func (f File) check() func(*view) ([]Part, error) {
	bare := func(check func(*view) error) func(*view) ([]Part, error) {
		return func(v *view) ([]Part, error) { return nil, check(v) }
	}
	switch f.Format {
	case imaging.PNG:
		return f.png
	case imaging.JPEG:
		if f.Data != nil { // else Watch does
			return bare(f.jpeg)
		}
	case imaging.AVIF, imaging.HEIF:
		return bare(f.heif)
	case imaging.JXL:
		return bare(f.boxes)
	case imaging.JP2:
		return bare(f.jp2)
	case imaging.TIFF:
		return bare(f.tiff)
	case imaging.WebP:
		return bare(f.webp)
	}
	return nil
}

func (f File) tooLarge(format string, a ...any) error {
	return fault.New(fault.TooLarge, "The file "+f.Name+" "+format, a...)
}

// windowSize is how much of a reader is read at once, in bytes.
const windowSize = 16 << 10

// view is a file of which pieces are looked at, mostly in rising order.
type view struct {
	r      io.ReadSeeker // nil: window is the whole file
	size   int64
	base   int64 // where window starts
	window []byte
}

// at returns n bytes from there on, until the next call. It returns io.ErrUnexpectedEOF where the file ends before
// that.
func (v *view) at(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset > v.size-int64(n) {
		return nil, io.ErrUnexpectedEOF
	}
	if from := offset - v.base; from >= 0 && from+int64(n) <= int64(len(v.window)) {
		return v.window[from : from+int64(n)], nil
	}
	if _, err := v.r.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	if cap(v.window) < n {
		v.window = make([]byte, max(n, windowSize))
	}
	v.base, v.window = offset, v.window[:cap(v.window)]
	got, err := io.ReadAtLeast(v.r, v.window, n)
	v.window = v.window[:got]
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return v.window[:n], nil
}
