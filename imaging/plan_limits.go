package imaging

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
)

// readCalls checks the filters against the table.
func (p *planner) readCalls() error {
	r := &p.plan.Request
	calls, warnings, err := r.Operations.Filters.Calls(r.Limits.Strict)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		if w.Filter == "palette" && r.Options.Describe { // then palette() is a metadata filter, which is strict
			return fault.OnField(fault.Invalid, strings.TrimSuffix("palette."+w.Field, "."), "%s", w.Message)
		}
	}
	p.plan.Calls, p.plan.Warnings = calls, warnings
	if c, ok := p.plan.Call("speed"); ok && c.Text("of") == string(Best) {
		r.Limits.Linear = true
	}
	if c, ok := p.plan.Call("scaling"); ok {
		r.Limits.Linear = c.Text("of") == linearScaling
	}
	return nil
}

// NeedsPixels reports whether /meta has to decode the picture.
func (p Plan) NeedsPixels() bool { return NeedsPixels(p.Request.Operations, p.Calls) }

// NeedsPixels reports whether /meta has to decode a picture to describe the result of the operations. calls are their
// checked filters.
func NeedsPixels(o Operations, calls []Call) bool {
	return o.Trim || slices.ContainsFunc(calls, func(c Call) bool {
		s := specOf(c.Name)
		return s.Analyzes || s.Step == StepTrims
	})
}

// warn records that a filter was not applied as written.
func (p *planner) warn(filter, field, message string) {
	p.plan.Warnings = append(p.plan.Warnings, Warning{Filter: filter, Field: field, Message: message})
}

// misread is warn for an argument or a segment that cannot be applied; in strict mode it returns the fault instead.
func (p *planner) misread(filter, field, message string) error {
	if p.plan.Request.Limits.Strict {
		return fault.OnField(fault.Invalid, strings.Trim(filter+"."+field, "."), "%s", message)
	}
	p.warn(filter, field, message)
	return nil
}

// maxSourceSide is the longest side of a source, in pixels. A decoder's time grows with the number of rows, however
// short they are.
const maxSourceSide = 1_000_000

// inFrames returns " in N frames" for messages about animations, and nothing for a still.
func (p *planner) inFrames(n int) string {
	if n == 1 {
		return ""
	}
	return " in " + p.countFrames(n) + " frames"
}

// maxGIFFrames is how many frames of a GIF libvips counts: one that has more seems to have one more.
const maxGIFFrames = 4096

// countFrames returns the number of frames of the source for messages.
func (p *planner) countFrames(n int) string {
	if p.plan.Request.Header.Format == GIF && n > maxGIFFrames {
		return fmt.Sprintf("more than %d", maxGIFFrames)
	}
	return strconv.Itoa(n)
}

// checkSource rejects a source whose decoding would exceed the limits.
func (p *planner) checkSource(s Size, decoded int) error {
	l := p.plan.Request.Limits
	if l.MaxFrames > 0 && decoded > l.MaxFrames {
		return fault.New(
			fault.TooLarge, "The picture has %s frames; at most %d are allowed", p.countFrames(decoded), l.MaxFrames,
		)
	}
	if l.MaxSourcePixels > 0 && Product(s.Width, s.Height, decoded) > l.MaxSourcePixels {
		return fault.New(
			fault.TooLarge, "The picture has %dx%d pixels%s; at most %d pixels are allowed", s.Width,
			s.Height, p.inFrames(decoded), l.MaxSourcePixels,
		)
	}
	if s.Width > maxSourceSide || s.Height > maxSourceSide {
		return fault.New(
			fault.TooLarge, "The picture has %dx%d pixels; a side can have at most %d", s.Width, s.Height,
			maxSourceSide,
		)
	}
	return nil
}

// checkSize rejects a picture whose size, in pixels of one frame, is over the limits. If only the size from the header
// is reported, the limits do not apply, and only an overflow is rejected.
func (p *planner) checkSize(s Size, frames int) error {
	l := p.plan.Request.Limits
	if p.plan.Request.Options.Describe && !p.plan.NeedsPixels() {
		l.MaxResultSide, l.MaxResultPixels = 0, 0
	}
	if s.Width < 1 || s.Height < 1 {
		return fault.New(
			fault.Invalid, "The result would be %dx%d pixels; both sides must be at least 1", s.Width,
			s.Height,
		)
	}
	side := maxCoordinate
	if l.MaxResultSide > 0 {
		side = min(side, l.MaxResultSide)
	}
	if s.Width > side || s.Height > side {
		return fault.New(
			fault.TooLarge, "The result would be %dx%d pixels; a side can have at most %d", s.Width, s.Height,
			side,
		)
	}
	if l.MaxResultPixels > 0 && Product(s.Width, s.Height, frames) > l.MaxResultPixels {
		return fault.New(
			fault.TooLarge, "The result would be %dx%d pixels%s; at most %d pixels are allowed", s.Width,
			s.Height, p.inFrames(frames), l.MaxResultPixels,
		)
	}
	return nil
}

// checkFrames rejects more frames than the limits allow.
func (p *planner) checkFrames(frames int) error {
	if limit := p.plan.Request.Limits.MaxFrames; limit > 0 && frames > limit {
		return fault.New(fault.TooLarge, "The result would have %d frames; at most %d are allowed", frames, limit)
	}
	return nil
}

// The values that pictures are scaled by: those of the file, which are gamma-encoded, or linear light.
const (
	gammaScaling  = "gamma"
	linearScaling = "linear"
)

var scalings = []string{gammaScaling, linearScaling}

// ParseScaling returns whether the scaling with the given name is that in linear light; ok is false if there is none.
func ParseScaling(name string) (linear, ok bool) {
	return name == linearScaling, slices.Contains(scalings, name)
}

// Speed is a trade-off between time on one side, and size and quality on the other.
type Speed string

// The speeds. With Best, encoders take two to six times as long as with Balanced, and with Fast about half as long.
// Encoders without a choice of effort, or for which it was not measured, work the same way at each speed. Best also
// resizes in linear light.
const (
	Best     Speed = "best"
	Balanced Speed = "balanced"
	Fast     Speed = "fast"
)

var speeds = []string{string(Best), string(Balanced), string(Fast)}

// ParseSpeed returns the speed with the given name; ok is false if there is none.
func ParseSpeed(name string) (s Speed, ok bool) { return Speed(name), slices.Contains(speeds, name) }

// EffortAt returns the effort of the format's encoder at a speed, for PNG the zlib level; 0: the encoder's default.
func (f Format) EffortAt(s Speed) int {
	t := f.traits()
	if n := map[Speed]int{Fast: t.FastEffort, Best: t.BestEffort}[s]; n > 0 {
		return n
	}
	return t.Effort
}
