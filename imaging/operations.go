// Package imaging says what to do to a picture: operations, the URL grammar, signatures,
// filters and limits. It is pure Go: no cgo and no I/O. imaging/vips does the work.
package imaging

// Operations is what to do to a picture: the same value from a URL, a GraphQL input or a
// template. It is comparable with ==. The zero value changes nothing.
type Operations struct {
	Trim          bool
	TrimBy        Corner  // the corner whose colour is cut; empty is top-left
	TrimTolerance float64 // Euclidean distance in RGB, 0..442

	// The region of the oriented source that is kept, before resizing. Pixels, or fractions when
	// left and top are below 1 and right and bottom are at most 1. A zero right or bottom is the edge.
	CropLeft, CropTop, CropRight, CropBottom float64

	Fit     Fit
	Stretch bool

	Width, Height int // pixels; 0 is from the ratio; both 0 is the natural size
	// The side is that of the picture after trim and crop, whatever Width or Height says: thumbor's `orig`.
	WidthOriginal, HeightOriginal bool
	HFlip, VFlip                  bool

	PaddingLeft, PaddingTop, PaddingRight, PaddingBottom int // pixels

	HAlign HAlign
	VAlign VAlign
	Smart  bool

	Filters Filters
}

// Corner is the corner whose colour a trim cuts.
type Corner string

// The corners. The empty Corner is the top-left one.
const (
	CornerTopLeft     Corner = "top-left"
	CornerBottomRight Corner = "bottom-right"
)

// Fit is how a picture meets its box. The zero value fills the box and crops.
type Fit struct {
	In       bool // no automatic crop
	Adaptive bool // swap width and height when the picture's orientation differs from the box's; needs In
	Full     bool // the smaller side reaches the box; needs In
}

// HAlign is which part a crop keeps horizontally; empty is center.
type HAlign string

// The horizontal alignments.
const (
	HAlignLeft   HAlign = "left"
	HAlignCenter HAlign = "center"
	HAlignRight  HAlign = "right"
)

// VAlign is which part a crop keeps vertically; empty is middle.
type VAlign string

// The vertical alignments.
const (
	VAlignTop    VAlign = "top"
	VAlignMiddle VAlign = "middle"
	VAlignBottom VAlign = "bottom"
)

// hasCrop reports whether the crop segment is set.
func (o Operations) hasCrop() bool {
	return o.CropLeft != 0 || o.CropTop != 0 || o.CropRight != 0 || o.CropBottom != 0
}

// hasSize reports whether a side is asked for.
func (o Operations) hasSize() bool {
	return o.Width != 0 || o.Height != 0 || o.WidthOriginal || o.HeightOriginal
}

// Request is what a URL asks for. It is comparable with ==, and Parse(r.Path()) == r for every
// r that Parse returned.
type Request struct {
	Params     bool   // answer with the parsed parameters
	Unsafe     bool   // the signature is the word unsafe
	Hash       string // the signature; empty when the URL has none
	Meta       bool   // answer with metadata
	Operations Operations
	Image      string // decoded: a storage path, `color:...`, `http://...` or `https://...`
	Base64     bool   // Image stood as b64: in the URL
	Encrypted  bool   // Image is the text of an encrypted path, `enc:...`, as in the URL
}
