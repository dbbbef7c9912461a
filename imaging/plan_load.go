package imaging

import (
	"math"
	"slices"

	"github.com/safelight/safelight/fault"
)

// headRoom is the min factor by which a decoded JPEG is larger than its target. Below it, the box filter of the
// decoder becomes visible. At 1.5, the pixel error is a quarter of that without head-room, and at exact halves of a
// decoding scale a twentieth; 3:2 is a common ratio (docs/contributing/performance/quality.md).
const headRoom = 1.49

// webpRoom is the min factor by which a decoded WebP is larger than its target. Only integer divisors are used,
// because the scaler averages boxes, which is visible at other scales (docs/contributing/performance/quality.md).
const webpRoom = 2

// The limits of decoders for the scale of a vector.
const (
	minScale = 0.001
	maxScale = 100_000
)

// unknownSide is assumed for the sides of a source whose header has none, such as a vector that was not read.
const unknownSide = 1000

// chooseTarget sets the format from the filters, the client's wishes and the header. It stays empty for a
// source that cannot be written, until the alpha of the result is known.
func (p *planner) chooseTarget() error {
	r := &p.plan.Request
	if r.Child { // never written; it is animated if its parent can be
		p.target, p.plan.Moves = PNG, r.Moves
		if r.Moves {
			p.target = WebP
		}
		return nil
	}
	h := r.Header
	animated := h.Format.traits().Frames && h.Pages > 1 && !p.has("page")
	if c, ok := p.plan.Call("max_frames"); ok && c.Int("n") == 1 {
		animated = false
	}
	options := r.Limits.Options
	if animated { // the client's preferred format must not cost the animation
		still := func(f Format) bool { return !f.CanAnimate() }
		options.AutoFormat = slices.DeleteFunc(slices.Clone(options.AutoFormat), still)
		options.Accept = slices.DeleteFunc(slices.Clone(options.Accept), still)
	}
	target, err := OutputFormat(p.plan.Calls, h.Format, options, r.Options.Writable)
	if err != nil {
		return err
	}
	if target == "" && animated && slices.Contains(r.Options.Writable, GIF) {
		target = GIF // every client plays GIF
	}
	if c, ok := p.plan.Call("fallback_format"); ok && animated && !target.CanAnimate() {
		f, known := ParseFormat(c.Text("format"))
		if !known || !slices.Contains(r.Options.Writable, f) {
			return fault.OnField(
				fault.UnsupportedFormat, "fallback_format",
				"The fallback format %s is not written by this build", c.Text("format"),
			)
		}
		target = f
	}
	p.target = target
	if p.best() && !target.HasAlpha() { // nothing may be lost before the format is chosen
		p.target = PNG
	}
	p.plan.Moves = p.target.CanAnimate()
	return nil
}

// best reports whether the smallest file of several formats was requested.
func (p *planner) best() bool {
	c, ok := p.plan.Call("format")
	return ok && c.Text("format") == FormatBest
}

// load plans what is decoded: the frames that the result needs, no larger than the layout needs.
func (p *planner) load() error {
	h := &p.plan.Request.Header
	o := p.plan.Request.Operations
	if h.Canvas {
		h.Width, h.Height, h.Pages = max(o.Width, 1), max(o.Height, 1), 1
		h.Orientation = 0
		if err := p.checkSize(Size{h.Width, h.Height}, 1); err != nil {
			return err
		}
	}
	if h.Width <= 0 || h.Height <= 0 {
		h.Width, h.Height = unknownSide, unknownSide
	}
	t := h.Format.traits()
	l := Load{Shrink: 1, Scale: 1, Box: 1}
	l.Page, l.Frames = p.chooseFrames()
	decoded := l.Frames
	if t.Frames {
		decoded += l.Page // the decoder also processes the frames before
	}
	p.shrink(&l)
	size := Size{h.Width, h.Height}
	if t.Vector {
		size = Size{l.Width, l.Height}
		if c, ok := p.plan.Call("dpi"); ok {
			l.DPI = c.Float("n")
		}
	}
	if err := p.checkSource(size, decoded); err != nil {
		return err
	}
	if found := p.plan.Request.Findings.Loaded; found.Known() {
		l.Width, l.Height = found.Width, found.Height
		if err := p.checkSource(found, l.Frames); err != nil {
			return err
		}
	}
	p.plan.Load = l
	p.now = Shape{l.Width, l.Height, l.Frames, h.Alpha}
	return nil
}

// chooseFrames returns the first page or frame to decode, from 0, and the number of pages or frames.
func (p *planner) chooseFrames() (first, n int) {
	h := p.plan.Request.Header
	t, pages := h.Format.traits(), max(h.Pages, 1)
	if c, ok := p.plan.Call("page"); ok && t.Pages {
		return min(c.Int("n"), pages) - 1, 1
	}
	if !t.Frames || !p.target.CanAnimate() {
		return 0, 1
	}
	if c, ok := p.plan.Call("max_frames"); ok {
		return 0, min(pages, c.Int("n"))
	}
	return 0, pages
}

// shrink sets the scale at which the source is decoded, which is reduced if the format supports it and the layout
// allows it, and the resulting size.
func (p *planner) shrink(l *Load) {
	h, o := p.plan.Request.Header, p.plan.Request.Operations
	t := h.Format.traits()
	l.Width, l.Height = h.Width, h.Height
	if o.Trim || h.Canvas { // a trim needs the source's own pixels
		return
	}
	upright := p.upright().straightened(p.angle())
	if r, ok := o.cropRegion(upright); ok && !r.Empty() {
		upright = Size{r.Width, r.Height}
	}
	to := p.layout(upright, l.Frames).scaled
	factor := max(float64(to.Width)/float64(upright.Width), float64(to.Height)/float64(upright.Height))
	// Shrinking by boxes pays off if otherwise all pixels would be rotated, which costs more.
	boxes := (p.has("preview") || p.angle() != 0) && l.Frames == 1 && (!h.Alpha || h.Depth <= 8)
	switch {
	case t.Vector:
		l.Scale = min(max(factor, minScale), maxScale)
		l.Width, l.Height = scaled(h.Width, l.Scale), scaled(h.Height, l.Scale)
	case t.Shrinks || boxes:
		n := shrinkOf(factor)
		if t.Shrinks { // the loader rounds down
			l.Shrink, l.Width, l.Height = n, max(h.Width/n, 1), max(h.Height/n, 1)
		} else {
			l.Box, l.Width, l.Height = n, (h.Width+n-1)/n, (h.Height+n-1)/n
		}
	case t.Scales && h.Pages <= 1:
		if n := min(upright.Width/(webpRoom*to.Width), upright.Height/(webpRoom*to.Height)); n > 1 {
			l.Scale = 1 / float64(n)
			l.Width, l.Height = scaled(h.Width, l.Scale), scaled(h.Height, l.Scale)
		}
	}
}

// shrinkOf returns the largest integer shrink that leaves head-room for the given factor.
func shrinkOf(factor float64) int {
	for _, n := range []int{8, 4, 2} {
		if factor*float64(n)*headRoom <= 1 {
			return n
		}
	}
	return 1
}

// stretched returns the operations with stretch() applied.
func (p *planner) stretched() Operations {
	o := p.plan.Request.Operations
	o.Stretch = o.Stretch || p.has("stretch")
	return o
}

// layout returns the layout of a picture that has size s after trim and crop. If a picture is only described by
// filters that analyze its pixels, it is scaled down to describedSide when it would exceed the limits for results,
// because nobody gets the result. It is not scaled down if a filter changes pixels, because the filter's lengths would
// no longer be right.
func (p *planner) layout(s Size, frames int) layout {
	l := p.stretched().layoutOf(s, upscaleOf(p.plan.Calls))
	changes := slices.ContainsFunc(p.plan.Calls, func(c Call) bool { return specOf(c.Name).Step != "" })
	p.described = Size{}
	if !p.plan.Request.Options.Describe || changes || max(l.scaled.Width, l.scaled.Height) > maxCoordinate ||
		p.checkSize(l.window, frames) == nil {
		return l
	}
	p.described = l.window
	return l.within(p.plan.Request.Limits, frames)
}

// exifTurns maps EXIF's orientations to the turn that makes the picture upright.
var exifTurns = map[int]Turn{
	2: {Mirror: true}, 3: {Degrees: 180}, 4: {Degrees: 180, Mirror: true},
	5: {Degrees: 90, Mirror: true}, 6: {Degrees: 90}, 7: {Degrees: 270, Mirror: true}, 8: {Degrees: 270},
}

// turnOf returns how the source is turned.
func (p *planner) turnOf() Turn {
	t := exifTurns[p.plan.Request.Header.Orientation]
	if c, ok := p.plan.Call("orient"); ok {
		t.Orient = c.Int("degrees")
	}
	return t
}

// upright returns the source's size after EXIF and orient().
func (p *planner) upright() Size {
	h, t := p.plan.Request.Header, p.turnOf()
	return Size{h.Width, h.Height}.turned(t.Degrees + t.Orient)
}

func (p *planner) turn() error {
	t := p.turnOf()
	p.plan.Turn, p.plan.Upright = t, p.upright()
	width, height := p.spans()
	x, y := axis{p.now.Width, width, false}, axis{p.now.Height, height, false}
	for range QuarterTurns(t.Degrees) {
		x, y = y.reversed(), x
	}
	if t.Mirror {
		x = x.reversed()
	}
	for range QuarterTurns(-t.Orient) {
		x, y = y.reversed(), x
	}
	p.now.Width, p.now.Height = x.pixels, y.pixels
	p.origin.scaleX, p.origin.offsetX = x.span/float64(p.plan.Upright.Width), x.offset()
	p.origin.scaleY, p.origin.offsetY = y.span/float64(p.plan.Upright.Height), y.offset()
	return nil
}

// spans returns the width and height of the source in decoded pixels. A decoder that shrinks drops a fraction of a
// pixel, or fills it up.
func (p *planner) spans() (width, height float64) {
	h, l := p.plan.Request.Header, p.plan.Load
	if n := float64(l.Shrink * l.Box); n > 1 {
		return float64(h.Width) / n, float64(h.Height) / n
	}
	return float64(l.Width), float64(l.Height)
}

// axis is a side of the decoded picture.
type axis struct {
	pixels   int
	span     float64 // length of the source in decoded pixels
	backward bool    // the dropped or filled part is at the start
}

func (a axis) reversed() axis {
	a.backward = !a.backward
	return a
}

// offset returns where the decoded picture begins in the source, in decoded pixels.
func (a axis) offset() float64 {
	if a.backward {
		return a.span - float64(a.pixels)
	}
	return 0
}

// QuarterTurns returns the number of clockwise quarter turns, 0 to 3, for a multiple of 90 degrees.
func QuarterTurns(degrees int) int { return (degrees/90%4 + 4) % 4 }

// takeTrim returns what the next trim keeps of the current picture; ok is false while it is pending.
func (p *planner) takeTrim() (keep Rect, ok bool) {
	if len(p.trims) == 0 {
		return Rect{}, false
	}
	keep, p.trims = p.trims[0], p.trims[1:]
	if keep.Empty() || keep == (Rect{0, 0, p.now.Width, p.now.Height}) {
		return Rect{}, true
	}
	return keep, true
}

// cut records that only r remains of the picture; the zero Rect keeps everything.
func (p *planner) cut(r Rect) {
	if r != (Rect{}) {
		p.now.Width, p.now.Height = r.Width, r.Height
	}
}

func (p *planner) trim() error {
	o := p.plan.Request.Operations
	if !o.Trim {
		return nil
	}
	if o.TrimTolerance > maxTolerance {
		if err := p.misread("", "trim", tooTolerant); err != nil {
			return err
		}
	}
	t := &Trim{Corner: cornerOf(o.TrimBy), Tolerance: o.TrimTolerance}
	p.plan.Trim = t
	keep, known := p.takeTrim()
	if !known {
		p.plan.Pending = PendingTrim
		return nil
	}
	t.Keep = keep
	p.cut(keep)
	p.origin.cut(keep.Left, keep.Top)
	return nil
}

// place plans crop, scale, window and flips.
func (p *planner) place() error {
	o := p.stretched()
	size := p.plan.Upright.straightened(p.plan.Straighten.Angle) // what remains of the source, in its own pixels
	if p.plan.Trim != nil {
		size = p.now.Size()
	}
	keep, err := p.crop(o, size)
	if err != nil {
		return err
	}
	l := p.layout(keep.Size(), p.now.Frames)
	p.box = o.boxOf(keep.Size())
	if err := p.checkSize(l.window, p.now.Frames); err != nil {
		return err
	}
	if l.scaled.Width > maxCoordinate || l.scaled.Height > maxCoordinate {
		return fault.New(
			fault.TooLarge,
			"The picture would be scaled to %dx%d pixels before it is cut; a side can have at most %d",
			l.scaled.Width, l.scaled.Height, maxCoordinate,
		)
	}
	p.take(keep, size, l.scaled)
	p.now.Width, p.now.Height = l.window.Width, l.window.Height
	if l.crops() {
		p.window(o, l)
	}
	p.plan.HFlip, p.plan.VFlip = o.HFlip, o.VFlip
	return nil
}

// crop returns what the crop segment keeps of a source of the given size.
func (p *planner) crop(o Operations, size Size) (Rect, error) {
	all := Rect{0, 0, size.Width, size.Height}
	r, ok := o.cropRegion(size)
	if !ok {
		return all, nil
	}
	if r.Empty() {
		if p.plan.Request.Limits.Strict {
			return all, fault.OnField(
				fault.Invalid, "crop", "The crop region has no area within the picture of %dx%d pixels",
				size.Width, size.Height,
			)
		}
		p.warn("", "crop", "the crop region has no area within the picture")
		return all, nil
	}
	return r, nil
}

// take plans to cut keep out of a source of the given size, and to scale it.
func (p *planner) take(keep Rect, size, to Size) {
	part := p.origin.partOf(keep)
	if p.plan.Trim != nil { // its size is what the trim left, and the decoder has not shrunk
		part = Part{float64(keep.Left), float64(keep.Top), float64(keep.Width), float64(keep.Height)}
	}
	if keep != (Rect{0, 0, size.Width, size.Height}) {
		p.plan.Cropped = keep
		cut, inside := part.within(p.now.Size())
		if part.EnlargedTo(to) { // of whole pixels
			cut = part.rounded(p.now.Size())
		}
		part = inside
		if cut != (Rect{0, 0, p.now.Width, p.now.Height}) {
			p.plan.Crop = cut
			p.cut(cut)
		}
		p.origin.cut(cut.Left, cut.Top)
	}
	if part.EnlargedTo(to) {
		part = p.now.Size().Whole()
	}
	p.plan.Part, p.plan.Scaled, p.unscaled = part, to, p.now.Size()
	p.origin.rescale(part, to)
}

// window chooses which part of the scaled picture the box keeps: around the focal regions, around what draws
// attention, or by the alignments. The first of these that was requested applies.
func (p *planner) window(o Operations, l layout) {
	w := &p.plan.Window
	w.Rect = Rect{Width: l.window.Width, Height: l.window.Height}
	if x, y, ok := p.focus(); ok {
		w.Rect.Left, w.Rect.Top = around(x, w.Rect.Width, l.scaled.Width), around(y, w.Rect.Height, l.scaled.Height)
		return
	}
	w.Rect.Left, w.Rect.Top = Align(o.HAlign, o.VAlign, l.scaled.Width-w.Rect.Width, l.scaled.Height-w.Rect.Height)
	if !o.Smart {
		return
	}
	if found := p.plan.Request.Findings.Attention; found != nil {
		w.Rect.Left, w.Rect.Top = found.X, found.Y
		return
	}
	w.Pending = PendingAttention
}

// focus returns the center of the bounding box of all focal regions, in the scaled picture.
func (p *planner) focus() (x, y float64, ok bool) {
	left, top := math.Inf(1), math.Inf(1)
	right, bottom := math.Inf(-1), math.Inf(-1)
	o := p.origin
	for _, c := range p.plan.Calls {
		if c.Name != "focal" {
			continue
		}
		ok = true
		r := c.Arg("region").Region
		sideX, sideY := 1.0, 1.0
		if r.Fraction {
			sideX, sideY = float64(p.plan.Upright.Width), float64(p.plan.Upright.Height)
		}
		// The center of a rotated rectangle is its rotated center.
		middleX, middleY := p.plan.Upright.straightenedPoint(
			p.plan.Straighten.Angle, (r.Left+r.Right)/2*sideX, (r.Top+r.Bottom)/2*sideY,
		)
		halfX, halfY := (r.Right-r.Left)/2*sideX, (r.Bottom-r.Top)/2*sideY
		left, right = min(left, (middleX-halfX)*o.scaleX-o.offsetX), max(right, (middleX+halfX)*o.scaleX-o.offsetX)
		top, bottom = min(top, (middleY-halfY)*o.scaleY-o.offsetY), max(bottom, (middleY+halfY)*o.scaleY-o.offsetY)
	}
	return (left + right) / 2, (top + bottom) / 2, ok
}
