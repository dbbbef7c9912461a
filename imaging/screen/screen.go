// Package screen reads the structure of a file in Go before a decoder in C does, and rejects files that would cost a
// decoder far more than their size and dimensions suggest: text that inflates to gigabytes, thousands of boxes, pages
// or scans, dimensions for which a decoder allocates memory before they can be checked. It decodes no pixels and
// reports no damage: a structure that it cannot follow is left to the decoder.
package screen

import (
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// File is a file to be checked.
type File struct {
	Name      string // for messages
	Format    imaging.Format
	Data      []byte        // the whole file; nil: Reader is read, and only the part before the pixels is checked
	Reader    io.ReadSeeker // left anywhere
	MaxPixels int64         // pixels of one picture; 0: no limit
}

// Check returns fault.TooLarge for a file that would cost a decoder too much, fault.CorruptImage for impossible
// dimensions, and fault.UnsupportedType for a file that decoders show wrongly. kept is not nil if a decoder must not
// get the whole file: it must get these bytes instead. Errors of the Reader are returned unchanged.
func (f File) Check() (kept []byte, err error) {
	check := f.check()
	if check == nil {
		return nil, nil
	}
	bytes := container.Of(f.Data)
	if f.Data == nil {
		size, err := f.Reader.Seek(0, io.SeekEnd)
		if err != nil {
			return nil, err
		}
		bytes = container.Open(f.Reader, size)
	}
	kept, err = check(bytes)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, container.ErrMalformed) {
		err = nil // the decoder reports what is wrong
	}
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// check returns the check for the format; nil if there is none.
func (f File) check() func(*container.File) ([]byte, error) {
	bare := func(check func(*container.File) error) func(*container.File) ([]byte, error) {
		return func(v *container.File) ([]byte, error) { return nil, check(v) }
	}
	switch f.Format {
	case imaging.PNG:
		return f.png
	case imaging.JPEG:
		return bare(f.jpeg)
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

// checkPixels returns fault.TooLarge for a picture with more than MaxPixels.
func (f File) checkPixels(width, height int64) error {
	if f.MaxPixels > 0 &&
		(width > f.MaxPixels || height > f.MaxPixels || imaging.Product(width, height) > f.MaxPixels) {
		return fault.New(
			fault.TooLarge, "The picture has %dx%d pixels; at most %d pixels are allowed", width, height, f.MaxPixels,
		)
	}
	return nil
}
