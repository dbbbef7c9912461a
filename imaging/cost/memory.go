package cost

import (
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/gainmap"
)

// How libvips computes with one thread: in strips or tiles of these sizes in pixels. A source that is read only once
// gets a cache of cacheRows rows, and an encoder that reads rows gets two buffers of sinkRows rows.
const (
	stripRows = 16
	tileSide  = 128
	cacheRows = 1024
	sinkRows  = 256
)

// untouched is the term for memory that is allocated but never written, and therefore not resident.
const untouched = "untouched"

// footprint tracks what executing a plan allocates. A job works in phases. Each phase ends when all pixels have been
// computed into memory, from which the next phase reads them, or when the file is written. The memory of the job is
// that of its largest phase.
type footprint struct {
	ended []terms
	now   terms   // the current phase
	kept  float64 // bytes of files, and of the pictures below a layer
	shape imaging.Shape
	bands int
	held  bool    // the picture was computed into memory, which the engine does only once
	lazy  bool    // some steps have not been computed yet
	whole bool    // a still in memory; scaling or cutting it next needs no libvips
	base  float64 // bytes of the pixels in memory to which the waiting steps apply
	mixed bool    // the picture has more colors than the source
}

// footprintOf returns the footprint of a plan without a pending trim, while kept bytes are in use for other pictures.
func footprintOf(p imaging.Plan, kept float64) *footprint {
	f := &footprint{kept: kept + float64(fileBytes(p)), shape: imaging.Shape{Frames: 1}}
	for _, s := range p.Filters {
		if s.Layer != nil && s.Layer.Plan != nil {
			f.kept += float64(fileBytes(*s.Layer.Plan))
		}
	}
	f.begin()
	if p.Request.Options.Describe && !p.NeedsPixels() {
		f.end()
		return f
	}
	f.read(p)
	f.place(p)
	f.filters(p.Filters)
	if p.Request.Child || p.Request.Options.Describe {
		f.lazy = true
		f.compute()
		f.end()
		return f
	}
	before := *f
	for _, e := range p.Encode {
		f.shape, f.bands = before.shape, before.bands
		f.encode(p, e)
		f.begin()
		f.now.add("bytes", f.pixels())
	}
	f.gainMap(p)
	return f
}

// gainMap adds the file of the source's gain map, the decoded part of it, and the scaled, turned and encoded map of
// the result.
func (f *footprint) gainMap(p imaging.Plan) {
	fit, ok := gainmap.FitOf(p)
	if !ok {
		return
	}
	m := p.Request.Header.GainMap
	f.now.add("bytes", float64(m.Bytes))
	f.shape = imaging.Shape{Width: m.Width / fit.Shrink, Height: m.Height / fit.Shrink, Frames: 1}
	f.bands = m.Bands
	f.now.add("bytes", f.pixels())
	f.now.add("bytes", 3*float64(fit.Across*fit.Down+3*fit.Width*fit.Height)) // scaled as RGB
	f.end()
}

// begin starts a phase.
func (f *footprint) begin() { f.now = terms{"bytes": f.kept} }

// end ends the phase.
func (f *footprint) end() { f.ended = append(f.ended, f.now) }

// written returns the bytes of the largest phase at the given rates, without untouched memory.
func (f *footprint) written(rates imaging.Rates) (bytes float64) {
	for _, t := range f.ended {
		bytes = max(bytes, t.times(rates)-t[untouched]*rates[untouched])
	}
	return bytes
}

// pixels returns the bytes of all frames.
func (f *footprint) pixels() float64 { return float64(f.shape.Pixels()) * float64(f.bands) }

// rows returns the bytes of n rows, or of all rows if there are fewer.
func (f *footprint) rows(n int) float64 {
	return float64(f.shape.Width) * float64(min(f.shape.Height*f.shape.Frames, n)) * float64(f.bands)
}

// tile returns the bytes of a tile with a margin of the given number of pixels.
func (f *footprint) tile(margin float64) float64 {
	return (float64(min(f.shape.Width, tileSide)) + 2*margin) * (float64(min(f.shape.Height, tileSide)) + 2*margin) * float64(f.bands)
}

// wait adds a step that waits to be computed, but whose own memory is negligible.
func (f *footprint) wait() { f.lazy, f.whole = true, false }

// step adds a step that waits to be computed.
func (f *footprint) step(name string, amount float64) {
	f.wait()
	f.now.add(name, amount)
}

// compute ends the phase with the pixels in memory, if steps wait.
func (f *footprint) compute() {
	if f.lazy {
		f.now.add("bytes", f.pixels())
		f.end()
		f.begin()
		f.now.add("bytes", f.pixels())
		f.base = f.pixels()
	}
	f.lazy = false
}

// hold computes the pixels into memory, unless the engine has already done so.
func (f *footprint) hold() {
	if !f.held {
		f.compute()
	}
	f.held = true
}

// change adds a step that needs whole frames and changes the shape. The frames of an animation are processed one by
// one in memory.
func (f *footprint) change(after imaging.Shape, name string, amount float64) {
	moves := f.shape.Frames > 1 || after.Frames > 1
	if moves {
		f.hold()
	}
	f.step(name, amount)
	f.become(after)
	if moves {
		f.compute()
	}
}

// become sets the shape.
func (f *footprint) become(s imaging.Shape) {
	f.shape, f.bands = s, 3
	if s.Alpha {
		f.bands = 4
	}
}

// place adds turning, cutting and scaling.
func (f *footprint) place(p imaging.Plan) {
	f.turn(p.Turn.Degrees)
	if p.Turn.Mirror || p.HFlip {
		f.wait()
	}
	f.turn(p.Turn.Orient)
	if p.Straighten.Angle != 0 {
		f.hold()
		f.mixed = true
		after := f.shape
		after.Width, after.Height = p.Straighten.Keep.Width, p.Straighten.Keep.Height
		f.change(after, "", 0)
	}
	if p.Trim != nil {
		if p.Turn != (imaging.Turn{}) { // turned pixels are in memory in addition to the others
			f.compute()
		}
		f.hold()
	}
	f.cut(p.Crop)
	f.resize(p.Scaled, p.Request.Limits.Linear)
	if p.Request.Operations.Smart && !p.Window.Rect.Empty() {
		f.hold()
		f.wait()
		if f.shape.Alpha { // premultiplied colors, as floats
			f.now.add("smart.alpha", f.pixels()/float64(f.shape.Frames))
		}
	}
	f.cut(p.Window.Rect)
	if p.VFlip {
		f.hold()
		f.change(f.shape, "", 0)
	}
}

// turn adds a rotation by a multiple of 90 degrees.
func (f *footprint) turn(degrees int) {
	if degrees == 0 {
		return
	}
	f.hold()
	after := f.shape
	if degrees%180 != 0 {
		after.Width, after.Height = after.Height, after.Width
	}
	f.change(after, "", 0)
}

// cut adds cropping every frame.
func (f *footprint) cut(r imaging.Rect) {
	if r.Empty() || r.Width == f.shape.Width && r.Height == f.shape.Height {
		return
	}
	after := f.shape
	after.Width, after.Height = r.Width, r.Height
	if f.whole {
		f.remake(after)
		return
	}
	f.change(after, "", 0)
}

// remake adds a step from a still in memory to another one in memory.
func (f *footprint) remake(after imaging.Shape) {
	f.become(after)
	f.now.add("bytes", f.pixels())
	f.end()
	f.begin()
	f.now.add("bytes", f.pixels())
	f.base = f.pixels()
}

// reduction returns the bytes that imaging/pixels uses to produce rows of the result, eight at once, with 16 bits per
// sample: strips of the input rows, and the eight rows before they are scaled horizontally.
func (f *footprint) reduction(height int) float64 {
	row, scale := float64(f.shape.Width*f.bands), float64(f.shape.Height)/float64(height)
	rows := min(13.5*scale+4, float64(f.shape.Height))
	return 2*min(row, 576)*rows + 2*8*row
}

// resize adds scaling: one strip of the result. Enlarging in linear light uses floats. For pictures with alpha, libvips
// needs the same amount.
func (f *footprint) resize(to imaging.Size, linear bool) {
	if to == f.shape.Size() {
		return
	}
	f.mixed = true
	after := f.shape
	after.Width, after.Height = to.Width, to.Height
	if f.whole && to.Width <= f.shape.Width && to.Height <= f.shape.Height {
		f.now.add("bytes", f.reduction(to.Height))
		f.remake(after)
		return
	}
	if to.Width > f.shape.Width || to.Height > f.shape.Height {
		name := "enlarge.rows"
		if f.shape.Alpha || linear {
			name = "enlarge.alpha"
		}
		f.change(after, name, float64(to.Width)*float64(min(to.Height, stripRows))*float64(f.bands))
		return
	}
	size := float64(f.bands)
	if f.shape.Alpha {
		size *= 4
	}
	if f.shape.Frames > 1 { // all frames at once, because there are several
		f.wait()
		f.become(after)
		f.held = false
		return
	}
	f.now.add("resize.out", float64(to.Width)*float64(min(to.Height, stripRows))*size)
	f.change(after, "", 0)
	f.held = false
}
