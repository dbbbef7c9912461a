package cost

import (
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/gainmap"
)

// How libvips computes with one thread: by strips or tiles of these sizes in pixels, through caches of that many rows
// in front of a source that is read once, and into two buffers of that many rows where an encoder takes rows.
const (
	stripRows = 16
	tileSide  = 128
	cacheRows = 1024
	sinkRows  = 256
)

// untouched is the term of memory that is allocated and never written, so that it is not resident.
const untouched = "untouched"

// footprint follows what executing a plan allocates. A job works in phases: each ends when all pixels have been
// computed into memory, where the next one reads them, or when the file is written. Its memory is that of the largest
// phase.
type footprint struct {
	ended []terms
	now   terms   // the phase under way
	kept  float64 // bytes of files, and of the pictures under a layer
	shape imaging.Shape
	bands int
	held  bool    // the picture was computed into memory, which the engine does once
	lazy  bool    // steps wait to be computed
	whole bool    // a still in memory whose next step needs no libvips, if it is scaled or cut
	base  float64 // bytes of the pixels in memory that steps wait over
	mixed bool    // there are more colors than the source has
}

// footprintOf returns what the plan, on which no trim is pending, allocates while that many bytes are kept for others.
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

// gainMap adds the file of the source's gain map, the part of it that is decoded, and the result's map: scaled,
// turned, encoded.
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

// written returns the bytes of the largest phase at these rates, without those that are untouched.
func (f *footprint) written(rates imaging.Rates) (bytes float64) {
	for _, t := range f.ended {
		bytes = max(bytes, t.times(rates)-t[untouched]*rates[untouched])
	}
	return bytes
}

// pixels returns the bytes of all frames.
func (f *footprint) pixels() float64 { return float64(f.shape.Pixels()) * float64(f.bands) }

// rows returns the bytes of that many rows, or of all.
func (f *footprint) rows(n int) float64 {
	return float64(f.shape.Width) * float64(min(f.shape.Height*f.shape.Frames, n)) * float64(f.bands)
}

// tile returns the bytes of a tile with that many pixels around it.
func (f *footprint) tile(margin float64) float64 {
	return (float64(min(f.shape.Width, tileSide)) + 2*margin) * (float64(min(f.shape.Height, tileSide)) + 2*margin) * float64(f.bands)
}

// wait adds a step that waits to be computed, and takes no memory that counts.
func (f *footprint) wait() { f.lazy, f.whole = true, false }

// step adds a step that waits to be computed.
func (f *footprint) step(name string, amount float64) {
	f.wait()
	f.now.add(name, amount)
}

// compute ends the phase with the pixels in memory, where steps wait.
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

// hold computes the pixels into memory unless the engine did so before.
func (f *footprint) hold() {
	if !f.held {
		f.compute()
	}
	f.held = true
}

// change adds a step that looks at whole frames and makes another shape: the frames of an animation are made one by
// one, in memory.
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
		if p.Turn != (imaging.Turn{}) { // pixels that were turned are in memory beside the others
			f.compute()
		}
		f.hold()
	}
	f.cut(p.Crop)
	f.resize(p.Scaled, p.Request.Limits.Linear)
	if p.Request.Operations.Smart && !p.Window.Rect.Empty() {
		f.hold()
		f.step("smart", 1)
		name := "smart.pixels"
		if f.shape.Alpha { // which weighs colors, as floats
			name = "smart.alpha"
		}
		f.now.add(name, f.pixels()/float64(f.shape.Frames))
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

// cut adds keeping a part of every frame.
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

// remake makes a still in memory of one in memory.
func (f *footprint) remake(after imaging.Shape) {
	f.become(after)
	f.now.add("bytes", f.pixels())
	f.end()
	f.begin()
	f.now.add("bytes", f.pixels())
	f.base = f.pixels()
}

// reduction returns the bytes with which imaging/pixels makes that many rows, eight at once, of 16 bits a sample:
// strips of the rows that these are made of, and the eight before they are scaled across.
func (f *footprint) reduction(height int) float64 {
	row, scale := float64(f.shape.Width*f.bands), float64(f.shape.Height)/float64(height)
	rows := min(13.5*scale+4, float64(f.shape.Height))
	return 2*min(row, 576)*rows + 2*8*row
}

// resize adds scaling: the rows that one strip of the result is made of, and that strip. Enlarging in linear light
// computes with floats; what libvips does to the rows of pictures with alpha takes as much.
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
	scale := float64(f.shape.Height) / float64(to.Height)
	// a row is made of 6 for each whole of the scale
	rows := min(float64(f.shape.Height*f.shape.Frames), (stripRows+6)*scale)
	f.now.add("resize.in", float64(f.shape.Width)*rows*size)
	if f.shape.Frames > 1 { // all frames at once
		f.wait()
		f.become(after)
		f.held = false
		return
	}
	f.now.add("resize.out", float64(to.Width)*float64(min(to.Height, stripRows))*size)
	f.change(after, "", 0)
	f.held = false
}
