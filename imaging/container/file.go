// Package container walks the structure of picture files: the segments of a JPEG, the chunks of PNG and WebP, the boxes
// of ISO base media files, the directories of a TIFF, the blocks of a GIF. It decodes nothing.
//
// Every walker is an iterator that is safe with any bytes. A length that a file claims is compared with the file
// before anything is read or reserved by it. Every step goes forward in the file, or is limited in number, so a walk
// ends; a caller that pays for each item breaks off after as many as it accepts. What the file lacks is reported as
// io.ErrUnexpectedEOF, what contradicts the format as ErrMalformed, and an error of the reader as it is; after an error
// the walk ends.
package container

import (
	"errors"
	"io"
	"math"
)

// ErrMalformed says that a file is not built as its format demands.
var ErrMalformed = errors.New("the structure of the file is malformed")

// Bytes that are read at once: few for those who look at a header only, more for those who read on.
const (
	minWindow = 4 << 10
	maxWindow = 64 << 10
)

// maxRead is up to how many bytes are read and dropped rather than passed by a seek, which some storages answer with a
// new request.
const maxRead = 64 << 10

// File is a file whose structure is walked, in memory or behind a reader. It is not safe for concurrent use.
type File struct {
	r      io.ReadSeeker // nil: the window is all there is
	place  int64         // of r; -1: unknown
	size   int64
	base   int64 // where the window starts in the file
	window []byte
}

// Of returns a file in memory.
func Of(data []byte) *File { return &File{size: int64(len(data)), window: data} }

// Open returns the file that r reads, from its start wherever r is; -1 is an unknown size. The file moves r as it
// likes, or uses the bytes of a reader that has Bytes() []byte where they are.
func Open(r io.ReadSeeker, size int64) *File {
	if m, ok := r.(interface{ Bytes() []byte }); ok {
		return Of(m.Bytes())
	}
	if size < 0 {
		size = math.MaxInt64
	}
	return &File{r: r, place: -1, size: size}
}

// Size returns the length of the file in bytes; the largest number if it is unknown.
func (f *File) Size() int64 { return f.size }

// At returns n bytes from an offset on, which must not be changed and last until the next call. It returns
// io.ErrUnexpectedEOF where the file ends before that.
func (f *File) At(offset int64, n int) ([]byte, error) {
	b, err := f.from(offset, n)
	if err != nil {
		return nil, err
	}
	return b[:n], nil
}

// Bytes is At with bytes that stay.
func (f *File) Bytes(offset int64, n int) ([]byte, error) {
	if f.r == nil {
		return f.At(offset, n)
	}
	if !f.holds(offset, n) {
		return nil, io.ErrUnexpectedEOF
	}
	out, known := make([]byte, n), 0
	if from := offset - f.base; from >= 0 && from < int64(len(f.window)) {
		known = copy(out, f.window[from:])
	}
	return out, f.read(out[known:], offset+int64(known), n-known)
}

// holds reports whether the file may have n bytes from an offset on.
func (f *File) holds(offset int64, n int) bool {
	return offset >= 0 && n >= 0 && offset <= f.size-int64(n)
}

// from returns the bytes from an offset on that are in memory, at least n.
func (f *File) from(offset int64, n int) ([]byte, error) {
	if !f.holds(offset, n) {
		return nil, io.ErrUnexpectedEOF
	}
	if from := offset - f.base; from >= 0 && from <= int64(len(f.window)-n) {
		return f.window[from:], nil
	}
	if f.r == nil {
		return nil, io.ErrUnexpectedEOF
	}
	var tail []byte // what is known from the offset on, if reading goes on behind it: r need not seek back
	if from := offset - f.base; from >= 0 && from < int64(len(f.window)) && f.place == f.base+int64(len(f.window)) {
		tail = f.window[from:]
	}
	if want := max(n, min(2*len(f.window), maxWindow), minWindow); cap(f.window) < want {
		f.window = make([]byte, 0, want)
	}
	b := f.window[:cap(f.window)]
	known := copy(b, tail)
	f.base, f.window = offset, b[:known]
	if known == 0 {
		if err := f.seek(offset, b); err != nil {
			return nil, err
		}
	}
	got, err := io.ReadAtLeast(f.r, b[known:], n-known)
	f.place += int64(got)
	f.window = b[:known+got]
	return f.window, unexpected(err)
}

// read fills b, of n bytes, from an offset on.
func (f *File) read(b []byte, offset int64, n int) error {
	if n == 0 {
		return nil
	}
	if err := f.seek(offset, f.window[:cap(f.window)]); err != nil {
		return err
	}
	f.window = f.window[:0]
	got, err := io.ReadFull(f.r, b)
	f.place += int64(got)
	return unexpected(err)
}

// seek moves r to an offset. It overwrites scratch.
func (f *File) seek(offset int64, scratch []byte) error {
	ahead := offset - f.place
	if f.place < 0 || ahead < 0 || ahead > maxRead || ahead > 0 && len(scratch) == 0 {
		f.place = -1
		if _, err := f.r.Seek(offset, io.SeekStart); err != nil {
			return err
		}
		f.place = offset
		return nil
	}
	for f.place < offset {
		n, err := io.ReadFull(f.r, scratch[:min(int64(len(scratch)), offset-f.place)])
		f.place += int64(n)
		if err != nil {
			return unexpected(err)
		}
	}
	return nil
}

// unexpected returns an error of reading that says that the file ends as io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
