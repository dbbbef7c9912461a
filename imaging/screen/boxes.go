package screen

import (
	"encoding/binary"

	"github.com/safelight/safelight/fault"
)

// Boxes of a file, with those inside of containers. A phone's photo has some hundred. What is inside of containers, but
// for pixels, is read byte by byte: color profiles, names, tables.
const (
	maxBoxes    = 10_000
	maxDepth    = 32
	maxBoxBytes = 4 << 20 // of all boxes inside of containers
)

// containers are the boxes that are looked into, and how many bytes precede the first box inside.
var containers = map[string]int64{
	"meta": 4, "iprp": 0, "ipco": 0, "iinf": 6, "iref": 4, "dinf": 0, "grpl": 0,
	"moov": 0, "trak": 0, "mdia": 0, "minf": 0, "stbl": 0, "jp2h": 0, "res ": 0,
}

// passed are the boxes inside of containers whose bytes are pixels, or not looked at.
var passed = map[string]bool{"idat": true, "mdat": true, "free": true, "skip": true, "uuid": true}

// boxWalk counts the boxes of a file.
type boxWalk struct {
	File
	v     *view
	count int
	bytes int64                               // of boxes inside of containers
	visit func(kind string, start, end int64) // what is inside; may be nil
}

// boxes rejects a file of too many boxes, or of too deep ones.
func (f File) boxes(v *view) error { return f.eachBox(v, nil) }

// eachBox is boxes, and calls visit, if any, with each box and where its content starts and ends. A bare codestream has
// none.
func (f File) eachBox(v *view, visit func(kind string, start, end int64)) error {
	if head, err := v.at(0, 2); err != nil || head[0] == 0xFF {
		return err
	}
	w := &boxWalk{File: f, v: v, visit: visit}
	return w.walk(0, v.size, 0)
}

func (w *boxWalk) walk(at, end int64, depth int) error {
	if depth > maxDepth {
		return w.tooLarge("has boxes in each other, more than %d deep", maxDepth)
	}
	for at+8 <= end {
		head, err := w.v.at(at, 8)
		if err != nil {
			return err
		}
		if w.count++; w.count > maxBoxes {
			return w.tooLarge("has more than %d boxes", maxBoxes)
		}
		kind, start, size := string(head[4:]), at+8, int64(binary.BigEndian.Uint32(head))
		switch size {
		case 0:
			size = end - at
		case 1:
			if head, err = w.v.at(at+8, 8); err != nil {
				return err
			}
			start, size = at+16, int64(binary.BigEndian.Uint64(head))
		}
		if size < start-at || size > end-at { // the decoder rejects it, or reads what there is
			size = end - at
		}
		if w.visit != nil {
			w.visit(kind, start, at+size)
		}
		if skip, ok := containers[kind]; ok {
			if err := w.walk(start+skip, at+size, depth+1); err != nil {
				return err
			}
		} else if depth > 0 && !passed[kind] {
			if w.bytes += size; w.bytes > maxBoxBytes {
				return w.tooLarge("has more than %d bytes of color profiles and tables", maxBoxBytes)
			}
		}
		at += size
	}
	return nil
}

// heif is boxes, and rejects a file that ends before the box that says what is in it: libheif 1.19 ends the process
// when a box before that one claims to go on after the end of the file.
func (f File) heif(v *view) error {
	described := false
	err := f.eachBox(v, func(kind string, _, _ int64) { described = described || kind == "meta" || kind == "moov" })
	if err == nil && !described {
		return fault.New(fault.CorruptImage, "The file %s ends before the box that describes its pictures", f.Name)
	}
	return err
}
