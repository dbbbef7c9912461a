package imaging

import (
	"context"
	"errors"
	"slices"
)

// PlacedKey identifies the picture before any filter. Results of the same source with the same key share all steps up
// to that point. It is comparable.
type PlacedKey struct {
	Load         Load
	Turn         Turn
	Straighten   Straighten
	Crop         Rect
	Part         Part
	Scaled       Size
	Window       Window
	HFlip, VFlip bool
	Colour       ColourPlan
	Linear       bool
	Undecided    Operations // operations that still matter once a trim is known; zero if the plan waits for none
}

// PlacedKey returns the key of the plan, which must be read before findings are added.
func (p Plan) PlacedKey() PlacedKey {
	k := PlacedKey{
		Load: p.Load, Turn: p.Turn, Straighten: p.Straighten, Crop: p.Crop, Part: p.Part, Scaled: p.Scaled,
		Window: p.Window, HFlip: p.HFlip, VFlip: p.VFlip,
		Colour: p.Colour, Linear: p.Request.Limits.Linear,
	}
	k.Colour.Space = ""
	if p.Trim == nil {
		return k
	}
	k.Undecided = p.Request.Operations
	k.Undecided.Filters = FiltersOf(slices.DeleteFunc(k.Undecided.Filters.List(), func(f Filter) bool {
		return !slices.Contains([]string{"focal", "upscale", "no_upscale", "stretch"}, f.Name)
	})...)
	return k
}

// ErrAlone means that results cannot share a decode, and that each must be made separately.
var ErrAlone = errors.New("the decode cannot be shared")

// Decoder is an Engine that decodes a source once for several results.
type Decoder interface {
	// Decode decodes src for each of the loads. Process accepts the results as the Pixels of a Source. The caller must
	// free all of them. The error is ErrAlone unless it applies to all results.
	Decode(ctx context.Context, src Source, loads []Load, limits Limits) ([]Pixels, error)
}

// Size is the size of one frame.
func (l Load) Size() Size { return Size{l.Width, l.Height} }

// Bytes returns the size of the pixels that a Load results in for a source with header h.
func (l Load) Bytes(h Header) int64 {
	return int64(l.Width) * int64(l.Height) * int64(max(l.Frames, 1)) * int64(max(h.Bands, 1)) * int64(
		max(h.Depth, 8)/8)
}

// Pixels is a source in memory, decoded as a Load says.
type Pixels struct {
	Load          Load
	Width, Height int // Height is that of all frames
	Bands, Format int // Format is the engine's number for the type of a sample
	By            Library
	Data          []byte `json:"-"` // row by row, never changed
	Held          any    `json:"-"` // the object in which the engine keeps Data
	Free          func() `json:"-"` // frees Data, which must not be used afterwards
}

// WithFindings returns the plan of the same request with another execution's findings about the pixels.
func (p Plan) WithFindings(f Findings) (Plan, error) {
	p.Request.Findings = f
	return p.Request.Plan()
}
