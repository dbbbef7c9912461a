// Package truncation detects files that end before their picture ends, without decoding them.
package truncation

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// Check returns fault.CorruptImage for a file that ends before its picture ends. It reads only the structure, without
// decoding. It supports JPEG, PNG, GIF, WebP and the box-based formats (AVIF, HEIF, JPEG 2000, JPEG XL), and returns
// nil for others. r is read from its start; size is its length.
func Check(f imaging.Format, r io.ReadSeeker, size int64) error {
	err := walk(f, r, size)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.CorruptImage, "the file ends before its picture does")
	case errors.Is(err, container.ErrMalformed):
		return fault.New(fault.CorruptImage, "the file's structure cannot be read")
	}
	return err
}

// Ends reports whether the file contains all of its picture. It returns true for formats that Check does not support.
// If a JPEG ends with an end marker, as most do, it reads nothing else.
func Ends(f imaging.Format, r io.ReadSeeker, size int64) (bool, error) {
	if f == imaging.JPEG && size >= 4 {
		var end [2]byte
		if _, err := r.Seek(size-2, io.SeekStart); err != nil {
			return false, err
		}
		if _, err := io.ReadFull(r, end[:]); err != nil {
			return false, err
		}
		if end == [2]byte{0xff, 0xd9} {
			return true, nil
		}
	}
	err := walk(f, r, size)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	if errors.Is(err, container.ErrMalformed) {
		return true, nil // it was decoded all the same
	}
	return true, err
}

// walk reads the structure of a file; io.ErrUnexpectedEOF if the file ends before its picture ends.
func walk(f imaging.Format, r io.ReadSeeker, size int64) error {
	file := container.Open(r, size)
	var err error
	switch f {
	case imaging.JPEG:
		err = jpeg(file)
	case imaging.PNG:
		for _, err = range container.PNG(file) {
		}
	case imaging.GIF:
		err = gif(file)
	case imaging.WebP:
		err = webp(file)
	case imaging.AVIF, imaging.HEIF, imaging.JP2, imaging.JXL:
		err = boxes(file)
	}
	return err
}

// jpeg looks for the end of image after the first scan; it ignores what follows.
func jpeg(file *container.File) error {
	for s, err := range container.JPEG(file) {
		if err != nil {
			return err
		}
		if s.Marker != container.EOI && s.Length < 2 {
			return container.ErrMalformed
		}
	}
	return nil
}

// gif accepts a file without its trailer if it ends with a complete frame, because such files are common.
func gif(file *container.File) error {
	frames := 0
	for b, err := range container.GIF(file) {
		if err != nil {
			if frames > 0 && b.Kind == 0 && errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return err
		}
		if b.Kind == container.GIFImage {
			frames++
		}
	}
	return nil
}

// webp compares the size in the RIFF header with that of the file.
func webp(file *container.File) error {
	b, err := file.At(4, 4)
	if err != nil {
		return err
	}
	if 8+int64(binary.LittleEndian.Uint32(b)) > file.Size() {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// boxes checks the top-level boxes; a bare JPEG XL or JPEG 2000 codestream has none.
func boxes(file *container.File) error {
	if b, err := file.At(0, 2); err != nil || b[0] == 0xFF {
		return err
	}
	for b, err := range container.Boxes(file, 0, file.Size()) {
		if err == nil {
			err = b.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
