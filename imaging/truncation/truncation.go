// Package truncation detects files that end before their picture does, without decoding them.
package truncation

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// Check returns fault.CorruptImage for a file that ends before its picture does, by its structure, without decoding it.
// JPEG, PNG, GIF, WebP and the formats made of boxes (AVIF, HEIF, JPEG 2000, JPEG XL) are known; of others nothing is
// said. r is read from its start; size is its length.
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

// Ends reports whether all of the picture is in its file. It is true of formats that Check does not know. Of a JPEG
// whose last bytes mark its end, which most have, nothing else is read.
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

// walk reads the structure of a file; io.ErrUnexpectedEOF if the file ends before its picture does.
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

// jpeg looks for the end of image after the first scan; what follows it is not looked at.
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

// gif accepts a file without its trailer when a whole frame ends it: there are many.
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

// webp compares the size that the RIFF header says with that of the file.
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

// boxes looks at those that are not in others; a bare JPEG XL or JPEG 2000 codestream has none.
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
