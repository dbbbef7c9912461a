package container

import (
	"encoding/binary"
	"io"
	"iter"
)

// Box is a box of an ISO base media file (ISO/IEC 14496-12, 4.2), of a JPEG 2000 or a JPEG XL.
type Box struct {
	Kind  string // four bytes, not necessarily text
	At    int64  // of its header
	Start int64  // where its content starts, after the header
	End   int64  // where the next box starts; the end of the range if the size is impossible
	Size  int64  // size in the file, including the header; 0: the box extends to the end
}

// Err returns nil for a box with a possible size, ErrMalformed for one that is smaller than its header, and
// io.ErrUnexpectedEOF for one that extends beyond the range.
func (b Box) Err() error {
	switch {
	case b.Size == 0 || b.Size == b.End-b.At:
		return nil
	case b.Size < b.Start-b.At:
		return ErrMalformed
	}
	return io.ErrUnexpectedEOF
}

// Boxes walks the boxes between two offsets, but not those inside of them. A box with an impossible size is the last
// one and may extend to the end: decoders reject it, or read what there is.
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
		if b.Size == 0 { // only a short size can mean the end of the file
			b.Size = -1
		}
	}
	if b.Size >= b.Start-at && b.Size <= end-at {
		b.End = at + b.Size
	}
	return b, nil
}

// orEOF returns err, or io.ErrUnexpectedEOF if err is nil.
func orEOF(err error) error {
	if err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}
