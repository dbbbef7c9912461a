package screen

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// What decoding a picture of a HEIF may take. A picture may be made of others (ISO/IEC 23008-12, 6.6.2): a grid of
// tiles, an overlay of layers. Each reference takes two bytes, and libheif decodes the other picture again for each, so
// pictures made of each other could take any amount of work, and threads. A photo of 48 megapixels has 200 tiles.
const (
	maxItems        = 2_500
	maxDecodes      = 4_096
	maxDerived      = 8          // pictures made of each other
	maxDecodedTimes = 4          // pixels of what a picture is made of, by its own pixels,
	freeDecoded     = 16_000_000 // besides so many, because tiles extend beyond small pictures
	maxWork         = 1 << 60    // pixels and decodes are not counted further
)

// heif is boxes, and rejects a file that ends before the box that says what is in it: libheif 1.19 aborts the process
// if an earlier box claims to extend beyond the end of the file. It also rejects pictures that are made of too many
// others.
func (f File) heif(file *container.File) error {
	var read []container.Box
	var described bool
	items := 0
	err := f.eachBox(file, func(b container.Box) {
		switch b.Kind {
		case "meta", "moov":
			described = true
		case "infe":
			items++
		case "ipco", "ipma", "iref":
			read = append(read, b)
		}
	})
	switch {
	case err != nil:
		return err
	case !described:
		return fault.New(fault.CorruptImage, "The file %s ends before the box that describes its pictures", f.Name)
	case items > maxItems:
		return f.tooLarge("has %d pictures, expected at most %d", items, maxItems)
	}
	g := heifItems{file: file, areas: map[uint32]int64{}, parts: map[uint32][]uint32{}, alphas: map[uint32][]uint32{}}
	for _, b := range read {
		if err := g.read(b); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
	}
	return g.check(f)
}

// heifItems are the pictures of a HEIF, which it calls items.
type heifItems struct {
	file   *container.File
	sizes  []int64             // pixels by the number of a property; 0: another property
	areas  map[uint32]int64    // pixels of an item
	parts  map[uint32][]uint32 // what an item is made of
	alphas map[uint32][]uint32 // auxiliary pictures of an item

	work map[uint32]heifWork
}

// heifWork is what it takes to decode an item.
type heifWork struct {
	decodes int64
	pixels  int64
	height  int  // of the tree of items that it is made of
	done    bool // false: it is being computed
}

// read reads one of the boxes that describe the items.
func (g *heifItems) read(b container.Box) error {
	if b.Kind == "ipco" {
		return g.readProperties(b)
	}
	head, err := g.file.At(b.Start, 4) // version and flags
	if err != nil {
		return err
	}
	version, flags := head[0], head[3]
	if b.Kind == "ipma" {
		wide := 1
		if flags&1 != 0 {
			wide = 2
		}
		return g.readAssociations(b, idSize(version), wide)
	}
	for r, err := range container.Boxes(g.file, b.Start+4, b.End) {
		if err != nil {
			return err
		}
		if err := g.readReference(r, idSize(version)); err != nil {
			return err
		}
	}
	return nil
}

// idSize returns the bytes of an item's id in a box of that version.
func idSize(version byte) int {
	if version == 0 {
		return 2
	}
	return 4
}

func (g *heifItems) readProperties(b container.Box) error {
	g.sizes = []int64{0} // they are numbered from 1
	for p, err := range container.Boxes(g.file, b.Start, b.End) {
		if err != nil {
			return err
		}
		g.sizes = append(g.sizes, 0)
		if p.Kind != "ispe" {
			continue
		}
		size, err := g.file.At(p.Start+4, 8)
		if err != nil {
			return err
		}
		g.sizes[len(g.sizes)-1] = imaging.Product(
			int64(binary.BigEndian.Uint32(size)), int64(binary.BigEndian.Uint32(size[4:])),
		)
	}
	return nil
}

// readAssociations reads which properties the items have. An id has so many bytes, and the number of a property is wide
// bytes, whose first bit is a flag.
func (g *heifItems) readAssociations(b container.Box, id, wide int) error {
	r := fieldsOf(g.file, b.Start+4, b.End)
	for range r.next(4) {
		item := r.next(id)
		for range r.next(1) {
			n := int(r.next(wide)) &^ (1 << (8*wide - 1))
			if n < len(g.sizes) && g.sizes[n] > 0 {
				g.areas[item] = g.sizes[n]
			}
		}
		if r.err != nil {
			break
		}
	}
	return r.err
}

func (g *heifItems) readReference(b container.Box, id int) error {
	if b.Kind != "dimg" && b.Kind != "auxl" {
		return nil
	}
	r := fieldsOf(g.file, b.Start, b.End)
	from := r.next(id)
	for range r.next(2) {
		to := r.next(id)
		switch {
		case r.err != nil:
			return r.err
		case b.Kind == "dimg":
			g.parts[from] = append(g.parts[from], to)
		default:
			g.alphas[to] = append(g.alphas[to], from)
		}
	}
	return r.err
}

// check rejects items that take too much work.
func (g *heifItems) check(f File) error {
	g.work = map[uint32]heifWork{}
	for item := range g.parts {
		w, err := g.workOf(f, item, 0)
		if err != nil {
			return err
		}
		if w.decodes > maxDecodes {
			return f.tooLarge("has a picture made of more than %d others", maxDecodes)
		}
		if area := g.areas[item]; area > 0 && w.pixels-freeDecoded > imaging.Product(area, maxDecodedTimes) {
			return f.tooLarge(
				"has a picture of %d pixels made of others with %d pixels, expected at most %d times as many",
				area, w.pixels, maxDecodedTimes,
			)
		}
	}
	return nil
}

// workOf returns what it takes to decode an item that depth others are made of.
func (g *heifItems) workOf(f File, item uint32, depth int) (w heifWork, err error) {
	w, known := g.work[item]
	if depth > maxDerived || known && (!w.done || depth+w.height > maxDerived) {
		return w, f.tooLarge("has pictures made of each other, more than %d deep", maxDerived)
	}
	if known {
		return w, nil
	}
	g.work[item] = heifWork{}
	add := func(part heifWork) {
		w.decodes = min(w.decodes+part.decodes, maxWork)
		w.pixels = min(w.pixels+part.pixels, maxWork)
		w.height = max(w.height, part.height+1)
	}
	if parts := g.parts[item]; len(parts) == 0 {
		w.decodes, w.pixels = 1, min(g.areas[item], maxWork)
	} else {
		for _, part := range parts {
			below, err := g.workOf(f, part, depth+1)
			if err != nil {
				return w, err
			}
			add(below)
		}
	}
	var alpha heifWork // decoders use one of them
	for _, n := range g.alphas[item] {
		below, err := g.workOf(f, n, depth+1)
		if err != nil {
			return w, err
		}
		alpha.decodes = max(alpha.decodes, below.decodes)
		alpha.pixels = max(alpha.pixels, below.pixels)
		alpha.height = max(alpha.height, below.height)
	}
	if len(g.alphas[item]) > 0 {
		add(alpha)
	}
	w.done = true
	g.work[item] = w
	return w, nil
}

// fields reads numbers one after the other.
type fields struct {
	file    *container.File
	at, end int64
	err     error
}

func fieldsOf(file *container.File, at, end int64) *fields {
	return &fields{file: file, at: at, end: end}
}

// next returns the next big-endian number of so many bytes; 0 after an error.
func (r *fields) next(bytes int) (n uint32) {
	if r.err == nil && r.at+int64(bytes) > r.end {
		r.err = io.ErrUnexpectedEOF
	}
	if r.err != nil {
		return 0
	}
	var b []byte
	if b, r.err = r.file.At(r.at, bytes); r.err != nil {
		return 0
	}
	r.at += int64(bytes)
	for _, c := range b {
		n = n<<8 | uint32(c)
	}
	return n
}
