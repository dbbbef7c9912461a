// Package imaging defines what can be done to a picture: operations, the URL grammar, signatures, filters and limits.
// It is pure Go, without cgo or I/O. imaging/vips does the work.
package imaging

// Operations describes what to do to a picture. A URL, a GraphQL input and a template all result in this type. It is
// comparable with ==. The zero value changes nothing.
type Operations struct {
	Trim          bool
	TrimBy        Corner  // corner whose color is trimmed; empty: top-left
	TrimTolerance float64 // Euclidean distance in RGB, 0..442

	// The region of the oriented source that is kept before resizing. The values are pixels, or fractions if left and
	// top are below 1 and right and bottom are at most 1. A right or bottom of zero means the edge.
	CropLeft, CropTop, CropRight, CropBottom float64

	Fit     Fit
	Stretch bool

	Width, Height int // pixels; 0: follows from the aspect ratio; both 0: the natural size
	// The side is that of the picture after trim and crop, regardless of Width or Height. This is thumbor's `orig`.
	WidthOriginal, HeightOriginal bool
	HFlip, VFlip                  bool

	PaddingLeft, PaddingTop, PaddingRight, PaddingBottom int // pixels

	HAlign HAlign
	VAlign VAlign
	Smart  bool

	Filters Filters
}

// Corner is the corner whose color a trim removes.
type Corner string

// The corners. The empty Corner is the top-left one.
const (
	CornerTopLeft     Corner = "top-left"
	CornerBottomRight Corner = "bottom-right"
)

// Fit says how a picture is fitted to its box. The zero value fills the box and crops.
type Fit struct {
	In       bool // no automatic crop
	Adaptive bool // swap width and height if the picture's orientation differs from the box's; requires In
	Full     bool // the smaller side reaches the box; requires In
}

// HAlign says which part a crop keeps horizontally; empty means center.
type HAlign string

// The horizontal alignments.
const (
	HAlignLeft   HAlign = "left"
	HAlignCenter HAlign = "center"
	HAlignRight  HAlign = "right"
)

// VAlign says which part a crop keeps vertically; empty means middle.
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

// hasSize reports whether a side is set.
func (o Operations) hasSize() bool {
	return o.Width != 0 || o.Height != 0 || o.WidthOriginal || o.HeightOriginal
}

// Request is a parsed image URL. It is comparable with ==, and Parse(r.Path()) == r for every r that Parse returned.
type Request struct {
	Params     bool   // respond with the parsed parameters
	Unsafe     bool   // the signature is the word unsafe
	Hash       string // the signature; empty if the URL has none
	Meta       bool   // respond with metadata
	Operations Operations
	Image      string // decoded: a storage path, `color:...`, `http://...` or `https://...`
	Base64     bool   // Image was written as b64: in the URL
	Encrypted  bool   // Image is an encrypted path, `enc:...`, as in the URL
}
