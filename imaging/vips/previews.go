package vips

// #include "geometry.h"
// #include "image.h"
import "C"

import (
	"container/list"
	"math"
	"strconv"
	"sync"

	"github.com/safelight/safelight/imaging"
)

// keptSource is a source's picture in memory, as the loader and the shrinking left it, with what its header said.
// It is never changed once it is in previews.
type keptSource struct {
	image  *image
	header header
	exif   map[string]any
	icc    []byte
	format imaging.Format
	placed *placement // of a picture that was cut and scaled already; nil as the loader left it
}

// bytes is what the pixels take.
func (d *keptSource) bytes() int64 {
	return int64(d.image.width()) * int64(d.image.height()) * int64(d.image.bands()) * int64(C.sl_sample_size(d.image.v))
}

// previews keeps decoded sources for editing, by source and shrink, up to a sum of bytes, the latest used ones.
type previews struct {
	mu    sync.Mutex
	bound int64
	size  int64
	order *list.List // of *preview, latest used first
	rows  map[previewID]*list.Element
}

type previewID struct {
	source string
	shrink int
	layout string // what was done to it since, empty as the loader left it
}

type preview struct {
	id      previewID
	size    int64
	decoded *keptSource
}

func newPreviews(bound int64) *previews {
	return &previews{bound: bound, order: list.New(), rows: map[previewID]*list.Element{}}
}

// get returns what is kept; ok is false when nothing is. The image is the caller's to close.
func (p *previews) get(id previewID) (d keptSource, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.rows[id]
	if e == nil {
		return d, false
	}
	p.order.MoveToFront(e)
	d = *e.Value.(*preview).decoded
	d.image = d.image.ref()
	return d, true
}

// any returns the source at whatever shrink is kept.
func (p *previews) any(source string) (d keptSource, shrink int, ok bool) {
	for _, shrink := range []int{1, 2, 4, 8} {
		if d, ok := p.get(previewID{source: source, shrink: shrink}); ok {
			return d, shrink, true
		}
	}
	return d, 0, false
}

// put keeps a picture, whose image it takes over; one that is larger than half of the bound is closed.
func (p *previews) put(id previewID, d *keptSource) {
	size := d.bytes()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(p.rows[id])
	if size > p.bound/2 {
		d.image.close()
		return
	}
	p.rows[id] = p.order.PushFront(&preview{id, size, d})
	p.size += size
	for p.size > p.bound {
		p.remove(p.order.Back())
	}
}

// remove takes out an element, nil allowed; the caller holds mu. Jobs that use the picture have a reference.
func (p *previews) remove(e *list.Element) {
	if e == nil {
		return
	}
	row := p.order.Remove(e).(*preview)
	delete(p.rows, row.id)
	p.size -= row.size
	row.decoded.image.close()
}

func (p *previews) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.order.Len() > 0 {
		p.remove(p.order.Back())
	}
}

// previewKey names what a preview is decoded from; empty where nothing is kept: without preview(), without
// a version, or where the request decides how the source is drawn.
func (j *job) previewKey(src imaging.Source) string {
	if src.Version == "" || j.engine.previews == nil || j.parent != nil || j.dry || j.meta || !j.has("preview") || j.has("dpi") {
		return ""
	}
	page := 0
	if c, ok := j.lastCall("page"); ok {
		page = c.Int("n")
	}
	return src.Version + " " + strconv.Itoa(page)
}

// recall makes the job's image from a decoded source, when one is kept at the scale that this job would
// decode at.
func (j *job) recall(source string) (found bool, err error) {
	if source == "" {
		return false, nil
	}
	d, shrink, ok := j.engine.previews.any(source)
	if !ok {
		return false, nil
	}
	defer func() { d.image.close() }()
	j.header, j.exif, j.icc, j.format, j.frames = d.header, d.exif, d.icc, d.format, 1
	before := j.warnings
	if err := j.chooseTarget(j.engine.writable); err != nil {
		return false, err
	}
	want := shrinkOf(j.loadScale())
	if _, frames := j.chooseFrames(); frames == 1 && want != shrink {
		var other keptSource
		if other, ok = j.engine.previews.get(previewID{source: source, shrink: want}); ok {
			d.image.close()
			d = other
		}
	} else if frames != 1 {
		ok = false
	}
	if !ok {
		j.target, j.warnings = "", before
		return false, nil
	}
	if err := j.checkSource(d.header.width, d.header.height, 1); err != nil {
		return false, err
	}
	if found, err := j.recallPlaced(source); found || err != nil {
		return found, err
	}
	return true, j.use(d.image)
}

// use makes a shared picture the job's: under a header of its own, for the job's stop flag must not reach
// the other jobs' picture.
func (j *job) use(shared *image) error {
	own, err := shared.unwatched()
	if err != nil {
		return j.failed(err)
	}
	j.replace(own)
	j.inMem = true
	return nil
}

// keep puts the loaded picture into memory, and keeps it for the next preview.
func (j *job) keep(source string) error {
	if source == "" || j.frames != 1 || j.inMem || loaders[j.format].vector {
		return nil
	}
	shared, err := j.image.copyMemory()
	if err != nil {
		return j.failed(err)
	}
	err = j.use(shared)
	j.engine.previews.put(previewID{source: source, shrink: shrinkOf(j.loadScale())}, &keptSource{image: shared, header: j.header, exif: j.exif, icc: j.icc, format: j.format})
	return err
}

// shrinksAfter reports whether the picture is made smaller between the loader and the first step: a preview
// in a format whose loader does not.
func (j *job) shrinksAfter() bool {
	l := loaders[j.format]
	return j.has("preview") && j.frames == 1 && !l.vector && !l.shrinks
}

// shrinkOf returns the whole number that a loadScale below 1 is the reciprocal of.
func shrinkOf(scale float64) int { return int(math.Round(1 / scale)) }

// boxed returns the image with every n x n pixels made one.
func (i *image) boxed(n int) (*image, error) {
	return i.premultiplied(func(i *image) (*image, error) {
		var out *C.VipsImage
		code := C.sl_shrink(i.v, &out, C.int(n))
		return made(out, code)
	})
}

// unwatched returns the image with a header of its own, which no stop flag is tied to.
func (i *image) unwatched() (*image, error) {
	var out *C.VipsImage
	code := C.sl_unwatch(i.v, &out)
	return made(out, code)
}
