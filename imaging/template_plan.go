package imaging

// templateSizes are the sizes that the plan of a template's picture has; the zero Size is not known.
type templateSizes struct {
	source Size // after the crop
	inner  Size // of the picture itself, before padding and rotation
	outer  Size // of the result
}

// outer returns the size of the result, inside a parent of that size; the zero Size when it is not known.
func (t *Transformations) outer(parent Size) Size { return t.sizes(parent).outer }

// sizes plans the picture without its layers, which change no size, inside a parent of that size.
func (t *Transformations) sizes(parent Size) (s templateSizes) {
	r, ok := t.planRequest(parent)
	if !ok {
		return s
	}
	p, err := r.plan()
	if err != nil { // too large for any engine
		return s
	}
	s.source, s.inner, s.outer = p.Upright, p.Scaled, p.Result.Size()
	if !p.Crop.Empty() {
		s.source = Size{p.Crop.Width, p.Crop.Height}
	}
	if w := p.Window.Rect; !w.Empty() {
		s.inner = Size{w.Width, w.Height}
	}
	return s
}

// planRequest returns what to plan; ok is false when the size of the picture matters and is not known.
func (t *Transformations) planRequest(parent Size) (r PlanRequest, ok bool) {
	o, box, header := t.operations(), t.box(parent), t.Original
	o.Width, o.Height = box.Width, box.Height
	canvas := IsCanvas(t.Image)
	switch {
	case canvas || header.known():
		ok = header.known() || box.known()
	case box.known() && !t.FitIn: // any picture fills the box
		header, ok = box, true
		o.CropLeft, o.CropTop, o.CropRight, o.CropBottom = 0, 0, 0, 0
	case t.CropWidth > 0 && t.CropHeight > 0: // the crop says what is left of any picture
		header, ok = Size{int(o.CropRight + 1), int(o.CropBottom + 1)}, true
	}
	var f filterList
	t.shape(&f)
	if share := t.share(); share < 1 {
		f.number("proportion", proportion(share))
	}
	o.Filters = FiltersOf(f...)
	canvas = canvas && box.known()
	return PlanRequest{Header: Header{Width: header.Width, Height: header.Height, Pages: 1, Bands: 3, Canvas: canvas}, Operations: o, Child: true}, ok
}

// box returns the size that is asked for inside a parent of that size; 0 is from the ratio, or not known.
func (t *Transformations) box(parent Size) Size {
	side := func(s Side, pixels, parent int) int {
		if s.Full && parent == 0 {
			return 0
		}
		return s.within(pixels, parent)
	}
	return Size{side(t.WidthSide, t.Width, parent.Width), side(t.HeightSide, t.Height, parent.Height)}
}

// share is the proportion as a fraction.
func (t *Transformations) share() float64 {
	switch {
	case t.Proportion == 0:
		return 1
	case t.Proportion <= 1:
		return t.Proportion
	}
	return t.Proportion / 100
}
