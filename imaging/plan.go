package imaging

import "slices"

// Plan contains everything about a result that can be decided without pixels, with exact sizes. It can be sent to
// another process as JSON or gob. An engine executes it without deciding any geometry. Anything that depends on pixels
// is pending. WithTrim and the other With methods return a plan with that information added.
type Plan struct {
	Request PlanRequest // the request from which the plan was made
	Calls   []Call      // all filters of the operations, checked

	Load    Load
	Turn    Turn
	Upright Size // size of the whole source after turning; of a canvas its own size

	Straighten Straighten
	Trim       *Trim
	// Cropped is the part of the picture after Turn that the crop segment keeps, in pixels of the source; the zero
	// Rect is all of it.
	Cropped Rect
	Crop    Rect // the decoded pixels that contain Cropped; the zero Rect is all of them
	Part    Part // the part of Crop that is scaled
	Scaled  Size // size of one frame before the window is cut
	Window  Window
	HFlip   bool
	VFlip   bool
	Filters []Step
	Colour  ColourPlan
	Encode  []Encode // one format, or several for format(best), of which the smallest file wins; empty for a layer

	Route    Route   // which code makes the result, and where
	Moves    bool    // the result can play frames
	Result   Shape   // sides are 0 while Pending
	Pending  Pending // what the rest of the plan waits for; empty if it is complete
	Warnings []Warning
}

// Pending says what must be known about the pixels before planning can continue.
type Pending string

// What plans wait for. Only PendingTrim makes a plan incomplete; the others mark a position or a colour that does not
// affect any size.
const (
	PendingTrim      Pending = "trim"      // the size of the border; see WithTrim
	PendingAttention Pending = "attention" // the position of the window; see WithAttention
	PendingColour    Pending = "colour"    // the average colour of the picture
	PendingSize      Pending = "size"      // the size of a text or of a trimmed layer; see LayerPlan.WithSize
)

// PlanRequest is the input of a plan. Findings are added as pixels become known.
type PlanRequest struct {
	Header     Header
	Operations Operations
	Limits     Limits
	Options    PlanOptions
	Findings   Findings
	Child      bool // the picture is a layer, which is never encoded
	Moves      bool // for a layer: its parent can play frames
}

// PlanOptions is what a plan depends on besides the picture and the operations.
type PlanOptions struct {
	Layers   map[string]Header // headers of the layers' pictures; a layer without a header gets no plan
	Writable []Format          // formats that the engine writes
	Efforts  map[Format]int    // encoder efforts of the operator, for PNG the zlib level; 0: the format's default
	Describe bool              // nothing is encoded, as for /meta
	// Isolation sets Route.Worker for `safelight url explain`. With the zero value, work stays in this process.
	Isolation Isolation
}

// Findings holds what is known about the pixels, in the order in which it was needed.
type Findings struct {
	Loaded    Size   // size of one frame as decoded, if it differs from the plan
	Trims     []Rect // what each trim keeps; empty for a picture that consists only of border, which stays unchanged
	Attention *Point // corner of the window around the area that draws attention
}

// Point is a pixel.
type Point struct{ X, Y int }

// Shape is the size and layout of a picture between two steps.
type Shape struct {
	Width, Height int // of one frame
	Frames        int
	Alpha         bool
}

// Size returns the size of one frame.
func (s Shape) Size() Size { return Size{s.Width, s.Height} }

// Pixels returns the total number of pixels of all frames.
func (s Shape) Pixels() int64 { return Product(s.Width, s.Height, s.Frames) }

// Load says what is decoded. It is comparable; plans for the same source with the same Load can share the decoded
// picture.
type Load struct {
	Page          int     // first page or frame, from 0
	Frames        int     // how many
	Shrink        int     // the decoder averages Shrink x Shrink pixels to one: 1, 2, 4 or 8
	Scale         float64 // scale of the decoder for vectors and WebP; otherwise 1
	Box           int     // every Box x Box decoded pixels become one after decoding
	DPI           float64 // for vectors; 0: the decoder's default
	Width, Height int     // size of one frame after that
}

// Turn makes the picture upright: it is rotated clockwise and flipped horizontally according to EXIF, then rotated
// counter-clockwise by orient().
type Turn struct {
	Degrees int // clockwise: 0, 90, 180 or 270
	Mirror  bool
	Orient  int // counter-clockwise: 0, 90, 180 or 270
}

// Straighten rotates the upright picture around its center, and keeps the largest part with the same aspect ratio that
// has no blank corner.
type Straighten struct {
	Angle float64 // counter-clockwise degrees, -45 to 45; 0: no rotation
	Keep  Size    // size of one frame that is kept around the center of the decoded picture; zero without a rotation
	X, Y  float64 // center of the source, in pixels of the decoded picture
}

// Trim cuts the border that has the colour of a corner.
type Trim struct {
	Corner    Corner
	Tolerance float64
	Keep      Rect // what remains; the zero Rect while it is pending, or if everything remains
}

// Window is the part of the scaled picture that remains after cropping to the box.
type Window struct {
	Rect    Rect    // the zero Rect keeps everything; Left and Top are provisional while pending
	Pending Pending // PendingAttention, or empty
}

// ColourPlan says in which color space the picture is processed and written.
type ColourPlan struct {
	KeepProfile bool   // the result may keep an RGB profile of the source, because no step depends on colours
	Target      Format // format that must support the profile; empty while alpha decides between PNG and JPEG
	Space       string // to_colorspace(): p3 or cmyk; empty for sRGB
}

// Step is one filter that changes pixels, with the picture's shape before and after it. The filter decides which
// fields besides Call, Before and After are set.
type Step struct {
	Call          Call
	Before, After Shape
	Skip          bool       // the filter changes nothing
	Rect          Rect       // crop, trim: what is kept; padding, fill: place of the picture on the canvas of After
	Radii         [2]float64 // for round_corner: radii of the ellipse in pixels
	Layer         *LayerPlan
	Pending       Pending
}

// NewPlan plans the result of the operations on a picture with header h. It returns fault.TooLarge for everything that
// exceeds the limits, before pixels are decoded. It returns fault.Invalid for filters that cannot be applied in strict
// mode, fault.UnsupportedFormat for an output format that is not writable, and the errors of Layers.
func NewPlan(h Header, o Operations, l Limits, with PlanOptions) (Plan, error) {
	if _, err := Layers(o, l); err != nil {
		return Plan{}, err
	}
	return PlanRequest{Header: h, Operations: o, Limits: l, Options: with}.Plan()
}

// Plan makes the plan as far as the findings allow. Unlike NewPlan, it does not count layers. The errors are those of
// NewPlan.
func (r PlanRequest) Plan() (Plan, error) {
	p := planner{plan: Plan{Request: r}, trims: r.Findings.Trims}
	for _, step := range []func(*planner) error{
		(*planner).readCalls, (*planner).chooseTarget, (*planner).colour, (*planner).load, (*planner).turn,
		(*planner).straighten, (*planner).trim,
		(*planner).place, (*planner).filters, (*planner).finish,
	} {
		if err := step(&p); err != nil {
			return Plan{}, err
		}
		if p.plan.Pending != "" {
			break
		}
	}
	p.route()
	return p.plan, nil
}

// WithLoaded returns the plan for a picture that was decoded to another size than planned.
func (p Plan) WithLoaded(s Size) (Plan, error) {
	p.Request.Findings.Loaded = s
	return p.Request.Plan()
}

// WithTrim returns the plan with the result of the pending trim: the part of the current picture that it keeps. An
// empty keep leaves everything.
func (p Plan) WithTrim(keep Rect) (Plan, error) {
	trims := p.Request.Findings.Trims
	p.Request.Findings.Trims = append(trims[:len(trims):len(trims)], keep)
	return p.Request.Plan()
}

// WithAttention returns the plan with the corner of the window that draws attention.
func (p Plan) WithAttention(corner Point) Plan {
	p.Request.Findings.Attention = &corner
	p.Window.Rect.Left, p.Window.Rect.Top = corner.X, corner.Y
	p.Window.Pending = ""
	return p
}

// Assumed returns the plan under the assumption that pending trims keep everything, which gives the max size of the
// result. Errors are those of NewPlan.
func (p Plan) Assumed() (Plan, error) {
	var err error
	for p.Pending == PendingTrim && err == nil {
		p, err = p.WithTrim(Rect{})
	}
	return p, err
}

// planner makes a plan step by step.
type planner struct {
	plan   Plan
	target Format // empty until the alpha of the result decides it
	now    Shape  // the current picture
	origin origin
	box    Size // box that the fit requests; fill() and rotate() use it
	// unscaled is the size of one frame before scaling.
	unscaled Size
	// described is the size of the result if a smaller copy of it is analyzed, else zero.
	described Size
	// sideways says whether rotate() has swapped the sides.
	sideways bool
	trims    []Rect // findings that no step has used yet
}

// has reports whether any of these filters is called.
func (p *planner) has(names ...string) bool { return HasCall(p.plan.Calls, names...) }

// HasCall reports whether any of these filters is among the calls.
func HasCall(calls []Call, names ...string) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return slices.Contains(names, c.Name) })
}

// Placed returns the size of the picture before the filters, after it was scaled and cut to the window.
func (p Plan) Placed() Size {
	if s := p.Window.Rect.Size(); s.Known() {
		return s
	}
	return p.Scaled
}

// Call returns the last call of the named filter, which is the one that takes effect if only one can.
func (p Plan) Call(name string) (Call, bool) { return lastCall(p.Calls, name) }

func lastCall(calls []Call, name string) (Call, bool) {
	for n := len(calls) - 1; n >= 0; n-- {
		if calls[n].Name == name {
			return calls[n], true
		}
	}
	return Call{}, false
}
