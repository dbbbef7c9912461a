package imaging

import "slices"

// PlacedKey says what of a source is shown where, before any filter: pictures of one source that are placed alike
// are the same up to there. It is comparable.
type PlacedKey struct {
	Load         Load
	Turn         Turn
	Straighten   Straighten
	Crop         Rect
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
		Load: p.Load, Turn: p.Turn, Straighten: p.Straighten, Crop: p.Crop, Scaled: p.Scaled, Window: p.Window, HFlip: p.HFlip, VFlip: p.VFlip,
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

// Stage is how far two plans of one source go together.
type Stage int

// The stages, each of which includes the ones before.
const (
	SharesNothing Stage = iota
	SharesDecoded       // the decoded picture is the same
	SharesPlaced        // and so is what is cut, scaled and mirrored of it, before the filters
)

// Shared returns how far two plans of one source go together.
func Shared(a, b Plan) Stage {
	switch {
	case a.Load != b.Load:
		return SharesNothing
	case a.PlacedKey() != b.PlacedKey():
		return SharesDecoded
	}
	return SharesPlaced
}

// WithFindings returns the plan of the same request with what another execution found out about the pixels.
func (p Plan) WithFindings(f Findings) (Plan, error) {
	p.Request.Findings = f
	return p.Request.Plan()
}
