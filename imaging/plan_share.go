package imaging

import (
	"context"
	"errors"
	"slices"
)

// PlacedKey says what of a source is shown where, before any filter: pictures of one source that are placed alike
// are the same up to there. It is comparable.
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
	Undecided    Operations // what goes into it once a trim is known; zero for a plan that waits for none
}

// PlacedKey returns the key of the plan, which is to be asked for before findings are added.
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

// ErrAlone is the error of a decode that results cannot share: each is to be made by itself.
var ErrAlone = errors.New("the decode cannot be shared")

// Decoder is an Engine that decodes a source once for several results.
type Decoder interface {
	// Decode decodes src as each of the loads says: what Process takes as the Pixels of a Source. The caller frees all
	// of them. The error is ErrAlone unless it is one of all results.
	Decode(ctx context.Context, src Source, loads []Load, limits Limits) ([]Pixels, error)
}

// Size is the size of one frame.
func (l Load) Size() Size { return Size{l.Width, l.Height} }

// Bytes is the size of the pixels that a Load leaves of a source with that header.
func (l Load) Bytes(h Header) int64 {
	return int64(l.Width) * int64(l.Height) * int64(max(l.Frames, 1)) * int64(max(h.Bands, 1)) * int64(
		max(h.Depth, 8)/8)
}

// Pixels is a source as a Load leaves it, in memory.
type Pixels struct {
	Load          Load
	Width, Height int // Height is that of all frames
	Bands, Format int // Format is the engine's number for the type of a sample
	By            Library
	Data          []byte `json:"-"` // row by row, never changed
	Held          any    `json:"-"` // what the engine keeps it in
	Free          func() `json:"-"` // releases Data, which must no longer be used
}

// WithFindings returns the plan of the same request with what another execution found out about the pixels.
func (p Plan) WithFindings(f Findings) (Plan, error) {
	p.Request.Findings = f
	return p.Request.Plan()
}
