package imaging

import (
	"math"

	"github.com/safelight/safelight/fault"
)

// filters plans the filters that change pixels, in their order, up to a trim that is pending.
func (p *planner) filters() error {
	for _, c := range p.plan.Calls {
		kind := specOf(c.Name).Step
		if kind == "" {
			continue
		}
		s := Step{Call: c, Before: p.now}
		if err := p.step(kind, c, &s); err != nil {
			return err
		}
		s.After = p.now
		if s.Pending == PendingTrim {
			s.After = Shape{}
			p.plan.Pending = PendingTrim
		}
		p.plan.Filters = append(p.plan.Filters, s)
		if p.plan.Pending != "" {
			return nil
		}
	}
	return nil
}

// step plans one filter.
func (p *planner) step(kind StepKind, c Call, s *Step) error {
	switch kind {
	case StepKeeps:
		s.Skip = changesNothing(c)
	case StepFlattens:
		colour, pending := planned(c.Arg("color").Colour)
		s.Skip, s.Pending = colour.A == 0, pending
		p.now.Alpha = p.now.Alpha && s.Skip
	case StepCrops:
		return p.cropFilter(c, s)
	case StepTrims:
		return p.trimFilter(s)
	case StepPads:
		s.Rect = Rect{c.Int("left"), c.Int("top"), p.now.Width, p.now.Height}
		return p.mount(
			c, s,
			Size{p.now.Width + c.Int("left") + c.Int("right"), p.now.Height + c.Int("top") + c.Int("bottom")},
		)
	case StepFills:
		return p.fill(c, s)
	case StepRotates:
		s.Skip = c.Int("degrees") == 0
		p.box = p.box.turned(c.Int("degrees"))
		p.sideways = p.sideways != (c.Int("degrees")%180 != 0)
		turned := p.now.Size().turned(c.Int("degrees"))
		p.now.Width, p.now.Height = turned.Width, turned.Height
	case StepScales:
		p.proportion(c, s)
	case StepRounds:
		p.round(c, s)
	case StepLayer:
		return p.layer(c, s)
	case StepText:
		return p.text(c, s)
	}
	return nil
}

// planned returns what is known about a colour before the pixels are: the average is opaque, and other words are
// transparent.
func planned(c Colour) (Colour, Pending) {
	switch c.Word {
	case "":
		return c, ""
	case "auto":
		return Colour{A: 255}, PendingColour
	}
	return Colour{}, ""
}

// minSigma is the smallest sigma of a Gaussian blur that changes a pixel.
const minSigma = 0.2

// changesNothing reports whether the arguments of a filter leave the picture unchanged.
func changesNothing(c Call) bool {
	switch c.Name {
	case "blur":
		return c.Float("sigma") < minSigma
	case "sharpen":
		return c.Float("sigma") == 0
	case "pixelate":
		return c.Int("block") < 2
	case "exposure":
		return c.Float("stops") == 0
	case "highlights", "shadows", "vibrance":
		return c.Float("amount") == 0
	case "white_balance":
		return c.Float("kelvin") == NeutralKelvin && c.Float("tint") == 0
	}
	return false
}

func (p *planner) cropFilter(c Call, s *Step) error {
	at := func(name string, side int) float64 {
		v := c.Float(name)
		if v > 0 && v < 1 {
			v *= float64(side)
		}
		return v
	}
	w, h := p.now.Width, p.now.Height
	left, top := at("left", w), at("top", h)
	r := rectBetween(left, top, left+at("width", w), top+at("height", h), p.now.Size())
	if r.Empty() {
		s.Skip = true
		if p.plan.Request.Limits.Strict {
			return fault.OnField(
				fault.Invalid, "crop", "filter crop keeps no area of the picture of %dx%d pixels", w, h,
			)
		}
		p.warn("crop", "", "filter crop keeps no area of the picture")
		return nil
	}
	s.Rect, s.Skip = r, r == Rect{0, 0, w, h}
	p.cut(r)
	return nil
}

func (p *planner) trimFilter(s *Step) error {
	keep, known := p.takeTrim()
	if !known {
		s.Pending = PendingTrim
		return nil
	}
	s.Rect, s.Skip = keep, keep == Rect{}
	p.cut(keep)
	return nil
}

// mount plans the picture on a canvas of the given size in the call's colour.
func (p *planner) mount(c Call, s *Step, size Size) error {
	if err := p.checkSize(size, p.now.Frames); err != nil {
		return err
	}
	p.now.Width, p.now.Height = size.Width, size.Height
	colour, pending := planned(c.Arg("color").Colour)
	s.Pending = pending
	if c.Arg("color").Colour.Word != "blur" {
		p.now.Alpha = colour.A < 255
	}
	return nil
}

// fill plans the canvas for the part of the box that the picture does not cover, and the padding around it.
func (p *planner) fill(c Call, s *Step) error {
	o := p.plan.Request.Operations
	inner := Size{max(p.box.Width, p.now.Width), max(p.box.Height, p.now.Height)}
	left, top := Align(o.HAlign, o.VAlign, inner.Width-p.now.Width, inner.Height-p.now.Height)
	// The padding swaps its axes together with the box, as existing URLs expect: left with top, right with bottom.
	if p.sideways {
		o.PaddingLeft, o.PaddingTop, o.PaddingRight, o.PaddingBottom = o.PaddingTop, o.PaddingLeft, o.PaddingBottom,
			o.PaddingRight
	}
	s.Rect = Rect{left + o.PaddingLeft, top + o.PaddingTop, p.now.Width, p.now.Height}
	return p.mount(
		c, s,
		Size{inner.Width + o.PaddingLeft + o.PaddingRight, inner.Height + o.PaddingTop + o.PaddingBottom},
	)
}

func (p *planner) proportion(c Call, s *Step) {
	scale := c.Float("percent") / 100
	if scale <= 0 || scale >= 1 {
		s.Skip = true
		return
	}
	side := func(n int) int { return max(int(math.Round(float64(n)*scale)), 1) }
	if p.box.Width > 0 {
		p.box.Width = side(p.box.Width)
	}
	if p.box.Height > 0 {
		p.box.Height = side(p.box.Height)
	}
	p.now.Width, p.now.Height = side(p.now.Width), side(p.now.Height)
}

func (p *planner) round(c Call, s *Step) {
	rx, ry := min(c.Float("rx"), float64(p.now.Width)/2), min(c.Float("ry"), float64(p.now.Height)/2)
	if rx <= 0 || ry <= 0 {
		s.Skip = true
		return
	}
	s.Radii = [2]float64{rx, ry}
	colour, pending := planned(c.Arg("color").Colour)
	s.Pending = pending
	p.now.Alpha = colour.A < 255
}
