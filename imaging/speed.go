package imaging

import "slices"

// Speed says how an encoder weighs time against bytes.
type Speed string

// The speeds. Best takes two to six times as long as Balanced, Fast about half as long; formats whose encoder has no such choice, or
// where it was not measured, are written the same way at each speed.
const (
	Best     Speed = "best"
	Balanced Speed = "balanced"
	Fast     Speed = "fast"
)

var speeds = []string{string(Best), string(Balanced), string(Fast)}

// ParseSpeed returns the speed of that name; ok is false for another text.
func ParseSpeed(name string) (s Speed, ok bool) { return Speed(name), slices.Contains(speeds, name) }

// EffortAt returns the effort of the format's encoder at a speed, of PNG zlib's level; 0 is the encoder's own.
func (f Format) EffortAt(s Speed) int {
	t := f.traits()
	switch {
	case s == Fast && t.FastEffort > 0:
		return t.FastEffort
	case s == Best && t.BestEffort > 0:
		return t.BestEffort
	}
	return t.Effort
}
