package container

import (
	"encoding/binary"
	"io"
	"iter"
)

// MaxDirectories is the max number of directories of a TIFF that are walked.
const MaxDirectories = 1 << 16

// Types of TIFF values that Number reads.
const (
	tiffShort = 3
	tiffLong  = 4
)

// Directory is a directory of a TIFF, classic or big, or of data with the same structure: EXIF data and the list of
// pictures of CIPA DC-007.
type Directory struct {
	Count   int64 // number of its entries, all of which are in the file
	Order   binary.ByteOrder
	IsBig   bool
	entries int64 // offset of the entries in the file
}

// Entry is an entry of a directory: a tag with its value.
type Entry struct {
	Tag, Type uint16
	Count     uint64 // number of values, as in the file
	order     binary.ByteOrder
	value     []byte // the value, or its offset in the TIFF; valid until the next step
}

// Number returns the value as a number; ok is false unless the type is SHORT or LONG.
func (e Entry) Number() (n uint32, ok bool) {
	switch e.Type {
	case tiffShort:
		return uint32(e.order.Uint16(e.value)), true
	case tiffLong:
		return e.order.Uint32(e.value), true
	}
	return 0, false
}

// IsShort reports whether the value is a single SHORT.
func (e Entry) IsShort() bool { return e.Type == tiffShort && e.Count == 1 }

// Offset returns the offset in a classic TIFF of a value that does not fit into its entry.
func (e Entry) Offset() int64 { return int64(e.order.Uint32(e.value)) }

// TIFF walks the directories of a TIFF between two offsets of the file; offsets in the TIFF are relative to start. The
// walk ends if the chain returns to an earlier directory, or after MaxDirectories.
func TIFF(f *File, start, end int64) iter.Seq2[Directory, error] {
	return func(yield func(Directory, error) bool) {
		t := tiff{file: f, start: start, end: end}
		at, err := t.header()
		if err != nil {
			yield(Directory{}, err)
			return
		}
		seen := map[int64]bool{}
		for at != 0 && !seen[at] && len(seen) < MaxDirectories {
			seen[at] = true
			d, next, err := t.directory(at)
			if !yield(d, err) || err != nil {
				return
			}
			at = next
		}
	}
}

// FirstDirectory returns the first directory that TIFF would walk.
func FirstDirectory(f *File, start, end int64) (Directory, error) {
	t := tiff{file: f, start: start, end: end}
	at, err := t.header()
	if err != nil {
		return Directory{}, err
	}
	d, _, err := t.directory(at)
	return d, err
}

// tiff is the state of a walk over a TIFF.
type tiff struct {
	file       *File
	start, end int64
	order      binary.ByteOrder
	isBig      bool
}

// at is File.At with an offset relative to the TIFF.
func (t *tiff) at(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset > t.end-t.start-int64(n) {
		return nil, io.ErrUnexpectedEOF
	}
	return t.file.At(t.start+offset, n)
}

// header returns the offset of the first directory.
func (t *tiff) header() (int64, error) {
	b, err := t.at(0, 8)
	if err != nil {
		return 0, err
	}
	switch string(b[:2]) {
	case "II":
		t.order = binary.LittleEndian
	case "MM":
		t.order = binary.BigEndian
	default:
		return 0, ErrMalformed
	}
	switch t.order.Uint16(b[2:]) {
	case 42:
		return int64(t.order.Uint32(b[4:])), nil
	case 43:
		t.isBig = true
		if b, err = t.at(8, 8); err != nil {
			return 0, err
		}
		return int64(t.order.Uint64(b)), nil
	}
	return 0, ErrMalformed
}

// directory reads the directory at an offset, and returns the offset of the next one, which is 0 after the last.
func (t *tiff) directory(at int64) (d Directory, next int64, err error) {
	d = Directory{Order: t.order, IsBig: t.isBig, entries: t.start + at + 2}
	if t.isBig {
		d.entries = t.start + at + 8
		b, err := t.at(at, 8)
		if err != nil {
			return d, 0, err
		}
		d.Count = int64(min(t.order.Uint64(b), 1<<20)) // more do not fit into the file, or are never read
		if b, err = t.at(at+8+20*d.Count, 8); err != nil {
			return d, 0, err
		}
		return d, int64(t.order.Uint64(b)), nil
	}
	b, err := t.at(at, 2)
	if err != nil {
		return d, 0, err
	}
	d.Count = int64(t.order.Uint16(b))
	if b, err = t.at(at+2+12*d.Count, 4); err != nil {
		return d, 0, err
	}
	return d, int64(t.order.Uint32(b)), nil
}

// Entries walks the entries of a directory.
func (d Directory) Entries(f *File) iter.Seq2[Entry, error] {
	size, value := int64(12), 8
	if d.IsBig {
		size, value = 20, 12
	}
	return func(yield func(Entry, error) bool) {
		for n := range d.Count {
			b, err := f.At(d.entries+n*size, int(size))
			if err != nil {
				yield(Entry{}, err)
				return
			}
			e := Entry{Tag: d.Order.Uint16(b), Type: d.Order.Uint16(b[2:]), order: d.Order, value: b[value:]}
			if e.Count = uint64(d.Order.Uint32(b[4:])); d.IsBig {
				e.Count = d.Order.Uint64(b[4:])
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
