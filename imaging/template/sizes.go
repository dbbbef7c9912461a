package template

import (
	"slices"

	"github.com/safelight/safelight/imaging"
)

// sizes are the sizes that the plan of a template's picture has; the zero Size means unknown.
type sizes struct {
	source imaging.Size // after the crop
	inner  imaging.Size // size of the picture itself, before padding and rotation
	outer  imaging.Size // of the result
}

// outer returns the size of the result, inside a parent of the given size; the zero Size if it is unknown.
func (t *Transformations) outer(parent imaging.Size) imaging.Size { return t.sizes(parent).outer }

// sizes plans the picture without its layers, which change no size, inside a parent of the given size.
func (t *Transformations) sizes(parent imaging.Size) (s sizes) {
	r, ok := t.planRequest(parent)
	if !ok {
		return s
	}
	p, err := r.Plan()
	if err != nil { // too large for every engine
		return s
	}
	s.source, s.inner, s.outer = p.Upright, p.Placed(), p.Result.Size()
	if !p.Crop.Empty() {
		s.source = p.Crop.Size()
	}
	return s
}

// planRequest returns the request to plan; ok is false if the size of the picture matters and is unknown.
func (t *Transformations) planRequest(parent imaging.Size) (r imaging.PlanRequest, ok bool) {
	o, box, header := t.operations(), t.box(parent), t.Original
	o.Width, o.Height = box.Width, box.Height
	canvas := imaging.IsCanvas(t.Image)
	switch {
	case canvas || header.Known():
		ok = header.Known() || box.Known()
	case box.Known() && !t.FitIn: // every picture fills the box
		header, ok = box, true
		o.CropLeft, o.CropTop, o.CropRight, o.CropBottom = 0, 0, 0, 0
	case t.CropWidth > 0 && t.CropHeight > 0: // the crop determines what remains of every picture
		header, ok = imaging.Size{Width: int(o.CropRight + 1), Height: int(o.CropBottom + 1)}, true
	}
	f := slices.Clone(filterList(t.Filters))
	if !canvas && !t.Original.Known() { // the rotation of the source does not matter if the box determines the size
		f = nil
	}
	t.shape(&f)
	if share := t.share(); share < 1 {
		f.number("proportion", proportion(share))
	}
	o.Filters = imaging.FiltersOf(f...)
	canvas = canvas && box.Known()
	return imaging.PlanRequest{
		Header:     imaging.Header{Width: header.Width, Height: header.Height, Pages: 1, Bands: 3, Canvas: canvas},
		Operations: o,
		Child:      true,
	}, ok
}

// box returns the requested size inside a parent of the given size; 0 follows from the ratio, or is unknown.
func (t *Transformations) box(parent imaging.Size) imaging.Size {
	side := func(s imaging.Side, pixels, parent int) int {
		if s.Follows() && parent == 0 {
			return 0
		}
		return s.Within(pixels, parent)
	}
	return imaging.Size{
		Width:  side(t.WidthSide, t.Width, parent.Width),
		Height: side(t.HeightSide, t.Height, parent.Height),
	}
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
