package container

import (
	"encoding/binary"
	"io"
	"iter"
)

// Box is a box of an ISO base media file (ISO/IEC 14496-12, 4.2), of a JPEG 2000 or a JPEG XL.
type Box struct {
	Kind  string // four bytes, whatever they are
	At    int64  // of its header
	Start int64  // of its content, behind the header
	End   int64  // where the next one starts: with a size that cannot be, where the range ends
	Size  int64  // as the file says, header included; 0: it goes on to the end
}

// Err returns nil for a box whose size can be, ErrMalformed for one that is smaller than its header, and
// io.ErrUnexpectedEOF for one that goes on behind the range.
func (b Box) Err() error {
	switch {
	case b.Size == 0 || b.Size == b.End-b.At:
		return nil
	case b.Size < b.Start-b.At:
		return ErrMalformed
	}
	return io.ErrUnexpectedEOF
}

// Boxes walks the boxes between two offsets, but not those inside of them. A box of an impossible size is the last
// one, which may take the rest: decoders reject it, or read what there is.
func Boxes(f *File, start, end int64) iter.Seq2[Box, error] {
	return func(yield func(Box, error) bool) {
		for at := start; at < end; {
			b, err := boxAt(f, at, end)
			if !yield(b, err) || err != nil {
				return
			}
			at = b.End
		}
	}
}

// boxAt reads the header of a box.
func boxAt(f *File, at, end int64) (Box, error) {
	b := Box{At: at, Start: at + 8, End: end}
	header, err := f.At(at, 8)
	if b.Start > end || err != nil {
		return b, orEOF(err)
	}
	b.Kind, b.Size = string(header[4:]), int64(binary.BigEndian.Uint32(header))
	if b.Size == 1 {
		b.Start = at + 16
		large, err := f.At(at+8, 8)
		if b.Start > end || err != nil {
			return b, orEOF(err)
		}
		b.Size = int64(binary.BigEndian.Uint64(large))
		if b.Size == 0 { // the end of the file is said by a short size only
			b.Size = -1
		}
	}
	if b.Size >= b.Start-at && b.Size <= end-at {
		b.End = at + b.Size
	}
	return b, nil
}

// orEOF returns err, or that the bytes end.
func orEOF(err error) error {
	if err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}
