package vips

// #include "sl_transform.h"
// #include "sl_image.h"
import "C"

import (
	"strconv"
	"sync"

	"github.com/safelight/safelight/cache/lru"
	"github.com/safelight/safelight/imaging"
)

// keptSource is a source's picture in memory, as it was loaded and shrunk, with its header. It is never changed once
// it is in previews.
type keptSource struct {
	id       previewID
	image    *image
	header   imaging.Header
	icc      []byte           // the profile that the picture is in; nil for sRGB
	findings imaging.Findings // of a picture that was placed
}

// previewID identifies a kept picture, either as loaded or as placed; for the latter, load is zero.
type previewID struct {
	source string
	load   imaging.Load
	placed imaging.PlacedKey
}

// bytes is what the pixels take.
func (d *keptSource) bytes() int64 {
	return int64(d.image.width()) * int64(d.image.height()) * int64(d.image.bands()) * int64(
		C.sl_sample_size(d.image.v))
}

// previews keeps decoded sources for editing, by source and shrink. It keeps the most recently used ones up to a total
// size.
type previews struct {
	mu    sync.Mutex
	bound int64
	rows  *lru.List[previewID, *keptSource]
}

func newPreviews(bound int64) *previews {
	return &previews{bound: bound, rows: lru.New[previewID, *keptSource]()}
}

// get returns a kept picture; ok is false if there is none. The caller must close the image.
func (p *previews) get(id previewID) (d keptSource, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, ok := p.rows.Get(id)
	if !ok {
		return d, false
	}
	d = *kept
	d.image = d.image.ref()
	return d, true
}

// header returns what the source's header says, and its profile, where anything of it is kept.
func (p *previews) header(source string) (h imaging.Header, icc []byte, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for d := range p.rows.All() {
		if d.id.source == source && d.id.load != (imaging.Load{}) {
			return d.header, d.icc, true
		}
	}
	return h, nil, false
}

// put keeps a picture, whose image it takes over; one that is larger than half of the bound is closed.
func (p *previews) put(d *keptSource) {
	size := d.bytes()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(d.id)
	if size > p.bound/2 {
		d.image.close()
		return
	}
	p.rows.Put(d.id, d, size)
	p.shrink(p.bound)
}

// remove drops a picture, if it is there; the caller holds mu. Jobs that use the picture have a reference.
func (p *previews) remove(id previewID) {
	if d, ok := p.rows.Remove(id); ok {
		d.image.close()
	}
}

// shrink drops pictures until all take at most that many bytes. The caller holds mu.
func (p *previews) shrink(bytes int64) {
	for id, ok := p.rows.Oldest(); ok && p.rows.Bytes() > bytes; id, ok = p.rows.Oldest() {
		p.remove(id)
	}
}

func (p *previews) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shrink(0)
}

// previewKey identifies the source of a preview; empty if nothing is kept: without preview(), without a version, and
// where the request decides how the source is drawn.
func (j *job) previewKey(src imaging.Source, calls []imaging.Call) string {
	if src.Version == "" || j.engine.previews == nil || !imaging.HasCall(calls, "preview") ||
		imaging.HasCall(calls, "dpi") {
		return ""
	}
	page, _ := pageOf(calls)
	return src.Version + " " + strconv.Itoa(page)
}

// placing is what a job has to do with previews.
type placing struct {
	source   string            // that previews are kept under; empty: none are
	key      imaging.PlacedKey // of the plan, before anything was found out
	recalled bool              // the image is as the steps before the filters leave it
}

// recall plans for a kept source, and makes the job's image from a kept picture with the same placement or the same
// decoding.
func (j *job) recall(source string, ops imaging.Operations, options imaging.PlanOptions) (found bool, err error) {
	if source == "" {
		return false, nil
	}
	h, icc, ok := j.engine.previews.header(source)
	if !ok {
		return false, nil
	}
	if err := j.planFor(h, ops, options); err != nil {
		return false, err
	}
	j.placed = placing{source: source, key: j.plan.PlacedKey()}
	if d, ok := j.engine.previews.get(previewID{source: source, placed: j.placed.key}); ok {
		defer d.image.close()
		if err := j.replan(j.plan.WithFindings(d.findings)); err != nil {
			return false, err
		}
		j.placed.recalled, j.icc = true, d.icc
		return true, j.use(d.image)
	}
	d, ok := j.engine.previews.get(previewID{source: source, load: j.plan.Load})
	if !ok {
		j.placed = placing{}
		return false, nil
	}
	defer d.image.close()
	j.icc = icc
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
func (j *job) keep(source string, planned imaging.Plan) error {
	if source == "" || j.plan.Load.Frames != 1 {
		return nil
	}
	if j.input.header.Format.Traits().Vector {
		return nil
	}
	shared, err := j.image.copyMemory()
	if err != nil {
		return j.failed(err)
	}
	err = j.use(shared)
	if j.damaged.Load() { // the next preview would not warn
		shared.close()
		return err
	}
	j.placed = placing{source: source, key: planned.PlacedKey()}
	id := previewID{source: source, load: planned.Load}
	j.engine.previews.put(&keptSource{id: id, image: shared, header: j.input.header, icc: j.icc})
	return err
}

// keepPlaced keeps the job's image as the steps before the filters made it.
func (j *job) keepPlaced() error {
	if j.placed.source == "" {
		return nil
	}
	// Steps that wait to be computed poll the stop flag of this job, which must not outlive it.
	if err := j.settlePixels(); err != nil {
		return err
	}
	shared, err := j.image.unwatched()
	if err != nil {
		return j.failed(err)
	}
	id := previewID{source: j.placed.source, placed: j.placed.key}
	j.engine.previews.put(&keptSource{id: id, image: shared, icc: j.icc, findings: j.plan.Request.Findings})
	return nil
}

// boxed returns the image with every n x n pixels made one.
func (i *image) boxed(n int) (*image, error) {
	return i.premultiplied(func(i *image) (*image, error) {
		var out *C.VipsImage
		return made(&out, C.sl_shrink(i.v, &out, C.int(n)))
	})
}

// unwatched returns the image with a header of its own, which no stop flag is tied to.
func (i *image) unwatched() (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_unwatch(i.v, &out))
}
