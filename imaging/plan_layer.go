package imaging

import (
	"math"
	"strconv"

	"github.com/safelight/safelight/fault"
)

// LayerPlan is a picture or a text that a filter lays over its parent.
type LayerPlan struct {
	Image  string    // key in Source.Layers, or a canvas; empty for a text
	Path   Layer     // parsed path of a picture
	Plan   *Plan     // plan of the picture; nil for a text, and while its header is unknown
	Text   *TextSpec // nil for a picture
	X, Y   Position
	Alpha  float64 // 0 opaque .. 100 transparent
	Blend  string
	Bounds Size // the picture is finally scaled to fit inside; a side of 0 is unlimited; zero: not scaled
	Parent Size // one frame
	// Reach is by how many pixels a shadow exceeds the layer's own area on each side. A layer that repeats includes
	// it.
	Reach  int
	Around Around // what is drawn around a picture, once its size is known

	Width, Height int // size as drawn, including what is around it; 0 while pending
	Place         Placement
}

// Placement is the position of a layer: it consists of Across x Down copies of the layer, of which the part Seen is
// visible. The corner of Seen is at Left, Top of the parent. Nothing is visible if Seen is empty.
type Placement struct {
	Across, Down int
	Seen         Rect
	Left, Top    int
}

// masks reports whether the parent's transparency comes from the layer.
func (l *LayerPlan) masks() bool { return l.Blend == "mask" || l.Blend == "mask-out" }

// Scaled returns the size at which a picture of size s is drawn, after scaling it to fit inside the bounds.
func (l *LayerPlan) Scaled(s Size) Size {
	if l.Bounds == (Size{}) {
		return s
	}
	inside := Operations{Width: l.Bounds.Width, Height: l.Bounds.Height, Fit: Fit{In: true}}
	return inside.layoutOf(s, upscaleAlways).scaled
}

// WithSize returns the layer with its size as drawn.
func (l LayerPlan) WithSize(s Size) LayerPlan {
	l.Width, l.Height = s.Width, s.Height
	p := Placement{Across: repeats(l.X, s.Width, l.Parent.Width), Down: repeats(l.Y, s.Height, l.Parent.Height)}
	width, height := s.Width*p.Across, s.Height*p.Down
	left, top := l.start(l.X, width, l.Parent.Width), l.start(l.Y, height, l.Parent.Height)
	p.Left, p.Top = max(left, 0), max(top, 0)
	p.Seen = Rect{
		p.Left - left,
		p.Top - top,
		min(left+width, l.Parent.Width) - p.Left,
		min(top+height, l.Parent.Height) - p.Top,
	}
	l.Place = p
	return l
}

// start is startOf for a side that includes the layer's reach at both ends.
func (l *LayerPlan) start(p Position, side, parent int) int {
	if p.Unit == UnitRepeat {
		return 0
	}
	return startOf(p, side-2*l.Reach, parent) - l.Reach
}

// startOf returns where a layer with the given side starts on the parent's side, in pixels.
func startOf(p Position, side, parent int) int {
	n := p.Number
	offset := p.Offset
	if p.Unit == UnitStart || p.Unit == UnitCentre || p.Unit == UnitEnd {
		offset += int(math.Round(p.Number * float64(parent)))
	}
	switch p.Unit {
	case UnitStart:
		return -offset
	case UnitCentre:
		return (parent-side)/2 - offset
	case UnitEnd:
		return parent - side + offset
	case UnitRepeat:
		return 0
	case UnitFraction:
		n *= float64(parent)
	}
	if n < 0 {
		return parent - side + int(math.Round(n))
	}
	return int(math.Round(n))
}

// repeats returns how many copies of a layer lie along the parent's side, at least one.
func repeats(p Position, side, parent int) int {
	if p.Unit != UnitRepeat {
		return 1
	}
	return (parent + side - 1) / side
}

// layer plans image() and watermark().
func (p *planner) layer(c Call, s *Step) error {
	path, _ := c.LayerPath()
	layer, err := ParseLayer(path)
	if err != nil {
		return err
	}
	l := &LayerPlan{
		Image: layer.Image, Path: layer, X: c.Arg("x").Position, Y: c.Arg("y").Position,
		Alpha: c.Float("alpha"), Blend: c.Text("blend"), Parent: p.now.Size(),
	}
	o := layer.Within(p.now.Width, p.now.Height)
	if c.Name == "watermark" {
		if err := p.watermark(c, l, &o); err != nil {
			return err
		}
	}
	s.Layer = l
	if err := p.child(l, o); err != nil {
		return err
	}
	if l.Plan == nil || l.Plan.Pending != "" {
		s.Pending = PendingSize
		if l.Plan != nil {
			if whole, err := l.Plan.Assumed(); err == nil {
				l.Around = AroundPicture(c, l.Scaled(whole.Result.Size()))
			}
		}
		return p.lay(l, 1, true)
	}
	p.plan.Warnings = append(p.plan.Warnings, l.Plan.Warnings...)
	result := l.Plan.Result
	size := l.Scaled(result.Size())
	l.Around = AroundPicture(c, size)
	l.Reach = l.Around.Reach()
	size = l.Around.Framed(size)
	if size != result.Size() {
		if err := p.checkSize(size, result.Frames); err != nil {
			return err
		}
	}
	*l = l.WithSize(size)
	return p.lay(l, result.Frames, !l.Place.Seen.Empty())
}

// PixelsAround returns the max number of pixels of a picture's frames including what is drawn around it; 0 if nothing
// is.
func (l *LayerPlan) PixelsAround() float64 {
	if l.Around == (Around{}) {
		return 0
	}
	whole, err := l.Plan.Assumed()
	if err != nil {
		return MaxAround
	}
	size := l.Around.Framed(l.Scaled(whole.Result.Size()))
	return float64(size.Width) * float64(size.Height) * float64(max(whole.Result.Frames, 1))
}

// lay plans the effect on the parent of a layer with the given number of frames.
func (p *planner) lay(l *LayerPlan, frames int, seen bool) error {
	if !seen {
		p.now.Alpha = p.now.Alpha || l.Blend == "mask" // the parent is transparent outside the layer
		return nil
	}
	p.now.Alpha = p.now.Alpha || l.masks()
	if p.now.Frames == 1 {
		p.now.Frames = p.plan.FramesUnder(frames)
	}
	if err := p.checkFrames(p.now.Frames); err != nil {
		return err
	}
	return p.checkSize(p.now.Size(), p.now.Frames)
}

// FramesUnder returns the number of frames of a picture after a layer with the given number of frames is drawn over
// it.
func (p Plan) FramesUnder(frames int) int {
	if _, page := p.Call("page"); page || !p.Moves {
		return 1
	}
	if c, ok := p.Call("max_frames"); ok {
		return min(frames, c.Int("n"))
	}
	return frames
}

// child plans the layer's own picture.
func (p *planner) child(l *LayerPlan, o Operations) error {
	parent := p.plan.Request
	h, known := parent.Options.Layers[l.Image]
	if IsCanvas(l.Image) {
		colour, err := ParseCanvas(l.Image)
		if err != nil {
			return err
		}
		h, known = Header{Canvas: true, Alpha: colour.Word != "" || colour.A != 255}, true
	}
	if !known {
		return nil
	}
	limits := parent.Limits
	limits.AutoFormat = nil
	r := PlanRequest{Header: h, Operations: o, Limits: limits, Child: true, Moves: p.plan.Moves}
	r.Options.Describe = parent.Options.Describe && !p.plan.NeedsPixels()
	images, err := Layers(o, Limits{})
	if err != nil {
		return err
	}
	for _, image := range images {
		if h, ok := parent.Options.Layers[image]; ok {
			if r.Options.Layers == nil {
				r.Options.Layers = map[string]Header{}
			}
			r.Options.Layers[image] = h
		}
	}
	child, err := r.Plan()
	if err != nil {
		return err
	}
	l.Plan = &child
	return nil
}

// watermark sizes a watermark in percent of the parent: a watermark without its own size is fitted inside that, and
// any other is finally scaled to it.
func (p *planner) watermark(c Call, l *LayerPlan, o *Operations) error {
	width, ok1, err := p.ratio(c, "w_ratio", p.now.Width)
	if err != nil {
		return err
	}
	height, ok2, err := p.ratio(c, "h_ratio", p.now.Height)
	if err != nil || !ok1 && !ok2 {
		return err
	}
	if o.hasSize() {
		l.Bounds = Size{width, height}
		return nil
	}
	o.Fit, o.Width, o.Height = Fit{In: true}, width, height
	o.Filters = FiltersOf(Filter{Name: "upscale"}).Add(o.Filters.List()...)
	return nil
}

// ratio reads a ratio in percent of side, and returns pixels. ok is false if there is none.
func (p *planner) ratio(c Call, name string, side int) (pixels int, ok bool, err error) {
	text := c.Text(name)
	if text == "none" || text == "" {
		return 0, false, nil
	}
	percent, err := strconv.ParseFloat(text, 64)
	if err != nil || !(percent > 0 && percent <= 1000) {
		return 0, false, p.misread(
			c.Name, name,
			"filter "+c.Name+": argument "+name+" is not followed, expected none or a percentage over 0 and up to 1000",
		)
	}
	return scaled(side, percent/100), true, nil
}

// Complete returns fault.NotFound naming the first picture of a layer whose header is missing.
func (p Plan) Complete() error {
	for _, s := range p.Filters {
		if s.Layer == nil || s.Layer.Text != nil {
			continue
		}
		if s.Layer.Plan == nil {
			return fault.OnField(
				fault.NotFound, "image", "the layer's picture %s was not found", strconv.Quote(s.Layer.Image),
			)
		}
		if err := s.Layer.Plan.Complete(); err != nil {
			return err
		}
	}
	return nil
}
