package imaging

import "slices"

// Plan is everything about a result that needs no pixels, exact to the pixel: a value that can be sent
// to another process as JSON or gob. An engine executes it and decides no geometry. What depends on pixels
// is pending; WithTrim and the other With methods return the plan that knows more.
type Plan struct {
	Request PlanRequest // that the plan was made of
	Calls   []Call      // the checked filters of the operations, all of them

	Load    Load
	Turn    Turn
	Upright Size // of the whole source, turned; for a canvas its own

	Straighten Straighten
	Trim       *Trim
	// what the crop segment keeps of the picture after that, in pixels of the source; the zero Rect is all of it
	Cropped Rect
	Crop    Rect // the decoded pixels in which that lies; the zero Rect is all of them
	Part    Part // of Crop: what is scaled
	Scaled  Size // of one frame, before the window is cut
	Window  Window
	HFlip   bool
	VFlip   bool
	Filters []Step
	Colour  ColourPlan
	Encode  []Encode // one but for format(best), whose smallest file wins; empty for a layer

	Route    Route   // which code makes it, and where
	Moves    bool    // the result can play frames
	Result   Shape   // zero sides while Pending
	Pending  Pending // what the rest of the plan waits for; empty when it is complete
	Warnings []Warning
}

// Pending names what has to be known of the pixels before planning goes on.
type Pending string

// What plans wait for. Only PendingTrim ends a plan early; the others mark a place or a colour that no size
// depends on.
const (
	PendingTrim      Pending = "trim"      // how much border there is: WithTrim
	PendingAttention Pending = "attention" // where the window lies: WithAttention
	PendingColour    Pending = "colour"    // the average colour of the picture
	PendingSize      Pending = "size"      // the size of a text or of a trimmed layer: LayerPlan.WithSize
)

// PlanRequest is what a plan is made of. Findings grow as pixels become known.
type PlanRequest struct {
	Header     Header
	Operations Operations
	Limits     Limits
	Options    PlanOptions
	Findings   Findings
	Child      bool // a layer, which is never encoded
	Moves      bool // of a layer: its parent can play frames
}

// PlanOptions is what a plan depends on besides the picture and what is asked of it.
type PlanOptions struct {
	Layers   map[string]Header // of the pictures that layers name; a layer whose header is missing has no plan
	Writable []Format          // the formats that the engine writes
	Efforts  map[Format]int    // encoder efforts that the operator chose, of PNG zlib's level; 0 is the format's own
	Describe bool              // nothing is encoded: /meta
	// Isolation sets Route.Worker, for `safelight url explain`; the zero value is in this process.
	Isolation Isolation
}

// Findings is what was found out about the pixels, in the order in which it was needed.
type Findings struct {
	Loaded    Size   // of one frame as decoded, where it differs from the plan
	Trims     []Rect // what each trim keeps; empty for a picture that is all border, which stays as it is
	Attention *Point // the corner of the window around what draws attention
}

// Point is a pixel.
type Point struct{ X, Y int }

// Shape is what a picture looks like between two steps.
type Shape struct {
	Width, Height int // of one frame
	Frames        int
	Alpha         bool
}

// Size returns the size of one frame.
func (s Shape) Size() Size { return Size{s.Width, s.Height} }

// Pixels returns how many pixels all frames have together.
func (s Shape) Pixels() int64 { return Product(s.Width, s.Height, s.Frames) }

// Load says what is decoded. It is comparable: plans of one source with the same Load can share the decoded
// picture.
type Load struct {
	Page          int     // the first page or frame, from 0
	Frames        int     // how many
	Shrink        int     // the decoder gives every Shrink x Shrink pixels as one: 1, 2, 4 or 8
	Scale         float64 // the decoder's factor, for vectors and WebP; else 1
	Box           int     // every Box x Box decoded pixels become one after decoding
	DPI           float64 // for vectors; 0 is the decoder's own
	Width, Height int     // of one frame after all that
}

// Turn makes the picture upright: rotated clockwise and mirrored left to right as EXIF says, then rotated
// counter-clockwise as orient() says.
type Turn struct {
	Degrees int // clockwise: 0, 90, 180 or 270
	Mirror  bool
	Orient  int // counter-clockwise: 0, 90, 180 or 270
}

// Straighten rotates the upright picture about its middle, and keeps the largest part of its aspect ratio that has no
// blank corner.
type Straighten struct {
	Angle float64 // counter-clockwise degrees, -45 to 45; 0 leaves the picture as it is
	Keep  Size    // of one frame of the decoded picture, around its middle; zero for no angle
	X, Y  float64 // the middle of the source, in pixels of the decoded picture
}

// Trim cuts the border that has the colour of a corner.
type Trim struct {
	Corner    Corner
	Tolerance float64
	Keep      Rect // what is left; the zero Rect while it is pending, or keeps all
}

// Window is the part of the scaled picture that the box leaves.
type Window struct {
	Rect    Rect    // the zero Rect keeps all; Left and Top are provisional while pending
	Pending Pending // PendingAttention, or empty
}

// ColourPlan says in what space the picture is processed and written.
type ColourPlan struct {
	KeepProfile bool   // an RGB profile of the source may stay, as no step looks at colours
	Target      Format // that the profile has to fit into; empty while alpha decides between PNG and JPEG
	Space       string // to_colorspace(): p3 or cmyk; empty for sRGB
}

// Step is one filter that changes pixels, with the picture before and after it. Which fields beside Call,
// Before and After are set depends on the filter.
type Step struct {
	Call          Call
	Before, After Shape
	Skip          bool       // the filter changes nothing
	Rect          Rect       // crop, trim: what is kept; padding, fill: the place of the picture on the canvas of After
	Radii         [2]float64 // round_corner: of the ellipse, in pixels
	Layer         *LayerPlan
	Pending       Pending
}

// NewPlan plans what the operations make of a picture with that header. Everything that the limits refuse is
// refused here, before a pixel is decoded: fault.TooLarge. It returns fault.Invalid for filters that cannot be
// followed in strict mode, fault.UnsupportedFormat for an output format that is not writable, and the
// errors of Layers.
func NewPlan(h Header, o Operations, l Limits, with PlanOptions) (Plan, error) {
	if _, err := Layers(o, l); err != nil {
		return Plan{}, err
	}
	return PlanRequest{Header: h, Operations: o, Limits: l, Options: with}.Plan()
}

// Plan makes the plan that the findings allow. Unlike NewPlan it does not count layers. The errors are those of
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

// WithLoaded returns the plan for a picture that the decoder gave another size than planned.
func (p Plan) WithLoaded(s Size) (Plan, error) {
	p.Request.Findings.Loaded = s
	return p.Request.Plan()
}

// WithTrim returns the plan once the pending trim is known: what it keeps of the picture as it stands. An empty
// keep leaves all of it.
func (p Plan) WithTrim(keep Rect) (Plan, error) {
	trims := p.Request.Findings.Trims
	p.Request.Findings.Trims = append(trims[:len(trims):len(trims)], keep)
	return p.Request.Plan()
}

// WithAttention returns the plan once it is known where the window lies that draws attention, by its corner.
func (p Plan) WithAttention(corner Point) Plan {
	p.Request.Findings.Attention = &corner
	p.Window.Rect.Left, p.Window.Rect.Top = corner.X, corner.Y
	p.Window.Pending = ""
	return p
}

// Assumed returns the plan with every pending trim taken for one that keeps all: what the result will be at
// most. The error is that of NewPlan.
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
	target Format // empty until the alpha of the result decides
	now    Shape  // the picture as it stands
	origin origin
	box    Size // that the fit asks for; fill() and rotate() look at it
	// unscaled is the size of one frame before scaling.
	unscaled Size
	// described is the size of the result where a smaller copy of it is looked at; else zero.
	described Size
	// sideways is whether rotate() has swapped the sides.
	sideways bool
	trims    []Rect // findings that no step has taken yet
}

// has reports whether any of these filters is called.
func (p *planner) has(names ...string) bool { return HasCall(p.plan.Calls, names...) }

// HasCall reports whether any of these filters is among the calls.
func HasCall(calls []Call, names ...string) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return slices.Contains(names, c.Name) })
}

// Placed returns the size of the picture before the filters: scaled, and cut to the window.
func (p Plan) Placed() Size {
	if s := p.Window.Rect.Size(); s.Known() {
		return s
	}
	return p.Scaled
}

// Call returns the last call of that filter, which is the one that counts where only one can.
func (p Plan) Call(name string) (Call, bool) { return lastCall(p.Calls, name) }

func lastCall(calls []Call, name string) (Call, bool) {
	for n := len(calls) - 1; n >= 0; n-- {
		if calls[n].Name == name {
			return calls[n], true
		}
	}
	return Call{}, false
}
