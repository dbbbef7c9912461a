// Package truncation detects files that end before their picture does, without decoding them.
package truncation

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Check returns fault.CorruptImage for a file that ends before its picture does, by its structure, without decoding it.
// JPEG, PNG, GIF, WebP and the formats made of boxes (AVIF, HEIF, JPEG 2000, JPEG XL) are known; of others nothing is
// said. r is read from its start; size is its length.
func Check(f imaging.Format, r io.ReadSeeker, size int64) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	w := walker{r: bufio.NewReaderSize(r, 64<<10), left: size}
	var err error
	switch f {
	case imaging.JPEG:
		err = w.jpeg()
	case imaging.PNG:
		err = w.png()
	case imaging.GIF:
		err = w.gif()
	case imaging.WebP:
		err = w.webp()
	case imaging.AVIF, imaging.HEIF, imaging.JP2, imaging.JXL:
		err = w.boxes()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.New(fault.CorruptImage, "the file ends before its picture does")
	}
	return err
}

// walker goes through a file.
type walker struct {
	r    *bufio.Reader
	left int64
	head [12]byte
}

// take returns the next n bytes, 12 at most; they last until the next call.
func (w *walker) take(n int) ([]byte, error) {
	_, err := io.ReadFull(w.r, w.head[:n])
	w.left -= int64(n)
	return w.head[:n], err
}

func (w *walker) skip(n int64) error {
	if n > w.left {
		return io.ErrUnexpectedEOF
	}
	w.left -= n
	_, err := io.CopyN(io.Discard, w.r, n)
	return err
}

func (w *walker) png() error {
	if err := w.skip(8); err != nil {
		return err
	}
	for {
		b, err := w.take(8)
		if err != nil {
			return err
		}
		end := string(b[4:]) == "IEND"
		if err := w.skip(int64(binary.BigEndian.Uint32(b)) + 4); err != nil || end {
			return err
		}
	}
}

func (w *walker) webp() error {
	b, err := w.take(8)
	if err != nil {
		return err
	}
	return w.skip(int64(binary.LittleEndian.Uint32(b[4:])))
}

// boxes walks ISO base media files; a bare JPEG XL or JPEG 2000 codestream has none.
func (w *walker) boxes() error {
	if b, err := w.r.Peek(2); err != nil || b[0] == 0xFF {
		return err
	}
	for w.left > 0 {
		b, err := w.take(8)
		if err != nil {
			return err
		}
		n := int64(binary.BigEndian.Uint32(b)) - 8
		switch n {
		case -8:
			return nil // the last one, up to the end
		case -7:
			if b, err = w.take(8); err != nil {
				return err
			}
			n = int64(binary.BigEndian.Uint64(b)) - 16
		}
		if n < 0 {
			return fault.New(fault.CorruptImage, "the file's boxes cannot be read")
		}
		if err := w.skip(n); err != nil {
			return err
		}
	}
	return nil
}

// jpeg looks for the end of image after the first scan; what follows it is not looked at.
func (w *walker) jpeg() error {
	if err := w.skip(2); err != nil {
		return err
	}
	for {
		marker, err := w.marker()
		switch {
		case err != nil:
			return err
		case marker == 0xD9:
			return nil
		case marker == 0x01, marker >= 0xD0 && marker <= 0xD8:
			continue // stands alone
		}
		b, err := w.take(2)
		if err != nil {
			return err
		}
		n := int64(binary.BigEndian.Uint16(b))
		if n < 2 {
			return fault.New(fault.CorruptImage, "the file's segments cannot be read")
		}
		if err := w.skip(n - 2); err != nil {
			return err
		}
	}
}

// marker returns the next marker, past the data of a scan.
func (w *walker) marker() (byte, error) {
	for {
		run, err := w.r.ReadSlice(0xFF)
		w.left -= int64(len(run))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return 0, err
		}
		for {
			b, err := w.take(1)
			if err != nil {
				return 0, err
			}
			if b[0] == 0 {
				break // an FF of the data
			}
			if b[0] != 0xFF {
				return b[0], nil
			}
		}
	}
}

// gif accepts a file without its trailer when a whole frame ends it: there are many.
func (w *walker) gif() error {
	if err := w.skip(10); err != nil {
		return err
	}
	b, err := w.take(3)
	if err != nil {
		return err
	}
	if err := w.colours(b[0]); err != nil {
		return err
	}
	for frames := 0; ; {
		b, err := w.take(1)
		if err != nil && frames > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch b[0] {
		case 0x3B:
			return nil
		case 0x21:
			err = w.skip(1)
		case 0x2C:
			frames++
			if b, err = w.take(9); err == nil {
				if err = w.colours(b[8]); err == nil {
					err = w.skip(1)
				}
			}
		default:
			return nil // decoders stop here as well
		}
		if err == nil {
			err = w.blocks()
		}
		if err != nil {
			return err
		}
	}
}

// colours skips the table that flags announce.
func (w *walker) colours(flags byte) error {
	if flags&0x80 == 0 {
		return nil
	}
	return w.skip(3 << (flags&7 + 1))
}

func (w *walker) blocks() error {
	for {
		b, err := w.take(1)
		if err != nil || b[0] == 0 {
			return err
		}
		if err := w.skip(int64(b[0])); err != nil {
			return err
		}
	}
}
