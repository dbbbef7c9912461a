package container

import (
	"encoding/binary"
	"io"
	"iter"
)

// MaxDirectories is the max number of directories of a TIFF that are walked.
const MaxDirectories = 1 << 16

// Types of TIFF values (TIFF 6.0, section 2).
const (
	tiffASCII = 2
	tiffShort = 3
	tiffLong  = 4
)

// Directory is a directory of a TIFF, classic or big, or of data with the same structure: EXIF data and the list of
// pictures of CIPA DC-007.
type Directory struct {
	Count int64 // number of its entries; those of a Directory that TIFF returns are all in the file
	IsBig bool
	Order binary.ByteOrder
	tiff  tiff
	at    int64 // offset of the entries in the TIFF
}

// Entry is an entry of a directory: a tag with its value.
type Entry struct {
	Tag, Type uint16
	Count     uint64 // number of values, as in the file
	tiff      tiff
	value     []byte // the value, or its offset in the TIFF; valid until the next step
}

// Number returns the value as a number; ok is false unless the type is SHORT or LONG.
func (e Entry) Number() (n uint32, ok bool) {
	switch e.Type {
	case tiffShort:
		return uint32(e.tiff.order.Uint16(e.value)), true
	case tiffLong:
		return e.tiff.order.Uint32(e.value), true
	}
	return 0, false
}

// IsShort reports whether the value is a single SHORT.
func (e Entry) IsShort() bool { return e.Type == tiffShort && e.Count == 1 }

// IsText reports whether the value is text, whose length includes the NUL at its end.
func (e Entry) IsText() bool { return e.Type == tiffASCII }

// Bytes returns the value of a type with one byte for each value, such as text. It is valid until the next step. The
// caller must have compared Count with the most that it accepts.
func (e Entry) Bytes() ([]byte, error) {
	if e.Count <= uint64(len(e.value)) {
		return e.value[:e.Count], nil
	}
	offset := int64(e.tiff.order.Uint32(e.value))
	if e.tiff.isBig {
		offset = int64(e.tiff.order.Uint64(e.value))
	}
	return e.tiff.read(offset, int(e.Count))
}

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
			d, err := t.directory(at)
			if err == nil {
				at, err = d.next()
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// FirstDirectory returns the first directory that TIFF would walk. It does not check that its entries are in the file.
func FirstDirectory(f *File, start, end int64) (Directory, error) {
	t := tiff{file: f, start: start, end: end}
	at, err := t.header()
	if err != nil {
		return Directory{}, err
	}
	return t.directory(at)
}

// tiff is a TIFF within a file.
type tiff struct {
	file       *File
	start, end int64
	order      binary.ByteOrder
	isBig      bool
}

// read is File.At with an offset relative to the TIFF.
func (t tiff) read(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset > t.end-t.start-int64(n) {
		return nil, io.ErrUnexpectedEOF
	}
	return t.file.At(t.start+offset, n)
}

// header reads the byte order and the kind, and returns the offset of the first directory.
func (t *tiff) header() (int64, error) {
	b, err := t.read(0, 8)
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
		if b, err = t.read(8, 8); err != nil {
			return 0, err
		}
		return int64(t.order.Uint64(b)), nil
	}
	return 0, ErrMalformed
}

// directory reads the number of entries of the directory at an offset.
func (t tiff) directory(at int64) (Directory, error) {
	d := Directory{Order: t.order, IsBig: t.isBig, tiff: t, at: at + 2}
	if t.isBig {
		d.at = at + 8
	}
	b, err := t.read(at, int(d.at-at))
	if err != nil {
		return d, err
	}
	if d.Count = int64(t.order.Uint16(b)); t.isBig {
		d.Count = int64(min(t.order.Uint64(b), 1<<20)) // more do not fit into the file, or are never read
	}
	return d, nil
}

// entrySize returns the bytes of an entry, and where its value starts in it.
func (d Directory) entrySize() (size, value int64) {
	if d.IsBig {
		return 20, 12
	}
	return 12, 8
}

// next returns the offset of the next directory, which follows the entries; 0 after the last one.
func (d Directory) next() (int64, error) {
	size, _ := d.entrySize()
	end := d.at + size*d.Count
	if d.IsBig {
		b, err := d.tiff.read(end, 8)
		if err != nil {
			return 0, err
		}
		return int64(d.Order.Uint64(b)), nil
	}
	b, err := d.tiff.read(end, 4)
	if err != nil {
		return 0, err
	}
	return int64(d.Order.Uint32(b)), nil
}

// Entries walks the entries of a directory.
func (d Directory) Entries() iter.Seq2[Entry, error] {
	size, value := d.entrySize()
	return func(yield func(Entry, error) bool) {
		for n := range d.Count {
			b, err := d.tiff.read(d.at+n*size, int(size))
			if err != nil {
				yield(Entry{}, err)
				return
			}
			e := Entry{Tag: d.Order.Uint16(b), Type: d.Order.Uint16(b[2:]), tiff: d.tiff, value: b[value:]}
			if e.Count = uint64(d.Order.Uint32(b[4:])); d.IsBig {
				e.Count = d.Order.Uint64(b[4:])
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
