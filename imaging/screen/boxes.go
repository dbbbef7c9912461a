package screen

import (
	"errors"
	"io"

	"github.com/safelight/safelight/imaging/container"
)

// The max number of boxes of a file, including those inside containers. A photo of a phone has about a hundred.
// Decoders read the content of containers byte by byte, except for pixels: color profiles, names, tables.
const (
	maxBoxes    = 10_000
	maxDepth    = 32
	maxBoxBytes = 4 << 20 // total bytes of boxes inside containers
)

// containers maps the boxes that contain other boxes to the number of bytes before the first of these.
var containers = map[string]int64{
	"meta": 4, "iprp": 0, "ipco": 0, "iinf": 6, "iref": 4, "dinf": 0, "grpl": 0,
	"moov": 0, "trak": 0, "mdia": 0, "minf": 0, "stbl": 0, "jp2h": 0, "res ": 0,
}

// passed are the boxes inside containers that hold pixels or that decoders skip.
var passed = map[string]bool{"idat": true, "mdat": true, "free": true, "skip": true, "uuid": true}

// boxWalk counts the boxes of a file.
type boxWalk struct {
	File
	file  *container.File
	count int
	bytes int64               // total bytes of boxes inside containers
	visit func(container.Box) // called for every box; may be nil
}

// boxes rejects a file with too many or too deeply nested boxes.
func (f File) boxes(file *container.File) error { return f.eachBox(file, nil) }

// eachBox is boxes, and calls visit, if any, with each box. A bare codestream has none.
func (f File) eachBox(file *container.File, visit func(container.Box)) error {
	if head, err := file.At(0, 2); err != nil || head[0] == 0xFF {
		return err
	}
	w := &boxWalk{File: f, file: file, visit: visit}
	return w.walk(0, file.Size(), 0)
}

func (w *boxWalk) walk(at, end int64, depth int) error {
	if depth > maxDepth {
		return w.tooLarge("has boxes in each other, more than %d deep", maxDepth)
	}
	for b, err := range container.Boxes(w.file, at, end) {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil // too few bytes for a box; decoders skip them
		}
		if err != nil {
			return err
		}
		if w.count++; w.count > maxBoxes {
			return w.tooLarge("has more than %d boxes", maxBoxes)
		}
		if w.visit != nil {
			w.visit(b)
		}
		if skip, ok := containers[b.Kind]; ok {
			if err := w.walk(b.Start+skip, b.End, depth+1); err != nil {
				return err
			}
		} else if depth > 0 && !passed[b.Kind] {
			if w.bytes += b.End - b.At; w.bytes > maxBoxBytes {
				return w.tooLarge("has more than %d bytes of color profiles and tables", maxBoxBytes)
			}
		}
	}
	return nil
}
