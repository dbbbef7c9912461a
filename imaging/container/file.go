// Package container walks the structure of picture files: the segments of a JPEG, the chunks of PNG and WebP, the
// boxes of ISO base media files, the directories of a TIFF, the blocks of a GIF. It decodes nothing.
//
// Every walker is an iterator that is safe with any bytes. It compares every length in a file with the file's size
// before it reads or allocates that much. Every step moves forward in the file, or the number of steps is limited, so
// every walk ends. A caller for which each item is costly stops after as many as it accepts. Missing bytes are
// reported as io.ErrUnexpectedEOF, a violation of the format as ErrMalformed, and an error of the reader unchanged.
// After an error, the walk ends.
package container

import (
	"errors"
	"io"
	"math"
)

// ErrMalformed means that the structure of a file violates its format.
var ErrMalformed = errors.New("the structure of the file is malformed")

// How many bytes are read at once: few for callers that need only a header, more for those that read on.
const (
	minWindow = 4 << 10
	maxWindow = 64 << 10
)

// maxRead is the max number of bytes that are read and dropped instead of skipped by a seek, because some storages
// need a new request for a seek.
const maxRead = 64 << 10

// File is a file whose structure is walked. It is in memory or comes from a reader. It is not safe for concurrent use.
type File struct {
	r      io.ReadSeeker // nil: the window is the whole file
	place  int64         // of r; -1: unknown
	size   int64
	base   int64 // offset of the window in the file
	window []byte
}

// Of returns a file in memory.
func Of(data []byte) *File { return &File{size: int64(len(data)), window: data} }

// Open returns the file that r reads, from its start, regardless of the position of r. A size of -1 means unknown. The
// File may seek r to any position. If r has a method Bytes() []byte, it uses those bytes without a copy.
func Open(r io.ReadSeeker, size int64) *File {
	if m, ok := r.(interface{ Bytes() []byte }); ok {
		return Of(m.Bytes())
	}
	if size < 0 {
		size = math.MaxInt64
	}
	return &File{r: r, place: -1, size: size}
}

// Size returns the length of the file in bytes, or the largest int64 if it is unknown.
func (f *File) Size() int64 { return f.size }

// At returns n bytes from an offset on. They must not be changed, and are valid until the next call. It returns
// io.ErrUnexpectedEOF if the file ends earlier.
func (f *File) At(offset int64, n int) ([]byte, error) {
	b, err := f.from(offset, n)
	if err != nil {
		return nil, err
	}
	return b[:n], nil
}

// Bytes is At with a copy of the bytes, which stays valid.
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

// holds reports whether the file may be long enough for n bytes from an offset on.
func (f *File) holds(offset int64, n int) bool {
	return offset >= 0 && n >= 0 && offset <= f.size-int64(n)
}

// from returns the bytes in memory from an offset on. They are at least n.
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
	var tail []byte // buffered bytes from the offset on, if reading continues after them, so that r need not seek back
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

// read fills b, which has n bytes, from an offset on.
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

// unexpected converts a read error that means the end of the file to io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
