package imaging

import "slices"

// Speed says how time is weighed against bytes and looks.
type Speed string

// The speeds. Encoders take two to six times as long for Best as for Balanced, for Fast about half as long; those
// without such a choice, or where it was not measured, work the same way at each speed. Best resizes in linear light,
// too.
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
	if n := map[Speed]int{Fast: t.FastEffort, Best: t.BestEffort}[s]; n > 0 {
		return n
	}
	return t.Effort
}
