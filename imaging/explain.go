package imaging

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
)

// Explain describes the URL in English, with one line per step, in the order of execution.
func (r Request) Explain() []string { return r.explain(&sizes{}) }

// Explain is Request.Explain for the named image, with the size of the picture after each step that changes it, and
// the way in which the result is written.
func (p Plan) Explain(image string) []string {
	r := Request{Operations: p.Request.Operations, Image: image, Meta: p.Request.Options.Describe}
	lines := r.explain(&sizes{plan: &p})
	switch {
	case p.Pending == PendingTrim:
		lines = append(lines, "All further sizes depend on the border that is trimmed")
	case !r.Meta && len(p.Encode) == 1:
		lines = append(
			lines,
			fmt.Sprintf("Write it as %s, %d x %d pixels", p.Format(), p.Result.Width, p.Result.Height),
		)
	case !r.Meta:
		lines = append(lines, fmt.Sprintf(
			"Write it in the format whose file is smallest, %d x %d pixels", p.Result.Width, p.Result.Height,
		))
	}
	return lines
}

// sizes appends the sizes of a plan to the lines of its steps; without a plan, it appends nothing.
type sizes struct {
	plan *Plan
	last Size
	step int // index of the next filter in the plan
}

// after returns the line, with the size if it is known and has changed.
func (z *sizes) after(line string, s Size) string {
	if !s.Known() || s == z.last {
		return line
	}
	z.last = s
	return fmt.Sprintf("%s: %d x %d pixels", line, s.Width, s.Height)
}

// filter returns the line with the size after the filter, if that is a step of the plan.
func (z *sizes) filter(c Call) string {
	line := c.Explain()
	if z.plan == nil || z.step == len(z.plan.Filters) || z.plan.Filters[z.step].Call.Name != c.Name {
		return line
	}
	z.step++
	return z.after(line, z.plan.Filters[z.step-1].After.Size())
}

// placed returns the sizes of the source, and after trim, crop and layout.
func (z *sizes) placed() (source, trimmed, cropped, scaled Size) {
	p := z.plan
	if p == nil {
		return
	}
	source = p.Upright
	if p.Trim != nil {
		trimmed = p.Trim.Keep.Size()
	}
	return source, trimmed, p.Cropped.Size(), p.Placed()
}

// explain returns the lines.
func (r Request) explain(z *sizes) []string {
	o := r.Operations
	var lines []string
	source, trimmed, cropped, scaled := z.placed()
	add := func(when bool, format string, a ...any) {
		if when {
			lines = append(lines, fmt.Sprintf(format, a...))
		}
	}
	sized := func(s Size) {
		if n := len(lines); n > 0 {
			lines[n-1] = z.after(lines[n-1], s)
		}
	}
	add(true, "Load %s", r.source())
	calls, _, err := o.Filters.Calls(false)
	if c, ok := lastCall(calls, "orient"); ok {
		sized(source.turned(c.Int("degrees")))
		lines = append(lines, c.Explain())
	}
	sized(source)
	if c, ok := lastCall(calls, "straighten"); ok && straightenedBy(c) != 0 {
		line := strings.Replace(c.Explain(), "counter-clockwise by -", "clockwise by ", 1)
		lines = append(lines, z.after(line, source.straightened(c.Float("angle"))))
	}
	add(
		o.Trim, "Trim the border that matches the color of the %s corner, tolerance %s", cornerOf(o.TrimBy),
		FormatDecimal(o.TrimTolerance),
	)
	if o.Trim {
		sized(trimmed)
	}
	add(
		o.hasCrop(),
		"Crop the region from %s, %s to %s, %s",
		FormatDecimal(o.CropLeft),
		FormatDecimal(o.CropTop),
		edge(o.CropRight, "the right edge"),
		edge(o.CropBottom, "the bottom edge"),
	)
	if o.hasCrop() {
		sized(cropped)
	}
	if size := o.explainSize(); size != nil {
		lines = append(lines, size...)
		sized(scaled)
	}
	add(o.HFlip, "Flip it horizontally")
	add(o.VFlip, "Flip it vertically")
	add(
		o.PaddingLeft+o.PaddingTop+o.PaddingRight+o.PaddingBottom > 0,
		"Pad it with %d pixels left, %d top, %d right, %d bottom", o.PaddingLeft, o.PaddingTop,
		o.PaddingRight, o.PaddingBottom,
	)
	for _, c := range calls {
		if c.Name != "straighten" && c.Name != "orient" {
			lines = append(lines, z.filter(c))
		}
	}
	add(err != nil, "Fail: an argument of a metadata filter is invalid")
	add(r.Meta, "Return metadata as JSON")
	return lines
}

func (r Request) source() string {
	switch {
	case IsCanvas(r.Image):
		return "a solid canvas in " + fault.Quote(strings.TrimPrefix(r.Image, CanvasPrefix))
	case IsRemote(r.Image):
		return "the remote image " + strconv.Quote(r.Image)
	}
	return "the image " + strconv.Quote(r.Image)
}

func (o Operations) explainSize() []string {
	if !o.hasSize() {
		return nil
	}
	noWidth, noHeight := o.Width == 0 && !o.WidthOriginal, o.Height == 0 && !o.HeightOriginal
	width, height := sideWords(o.Width, o.WidthOriginal), sideWords(o.Height, o.HeightOriginal)
	box := width + " x " + height
	turned := ""
	if o.Fit.Adaptive {
		turned = ", swapping the sides if the orientation differs"
	}
	switch {
	case o.Stretch && !o.Fit.In:
		return []string{"Stretch it to " + box}
	case noWidth:
		return []string{"Resize it to height " + height + ", keeping the aspect ratio"}
	case noHeight:
		return []string{"Resize it to width " + width + ", keeping the aspect ratio"}
	case o.Fit.Full:
		return []string{"Resize it to cover " + box + turned}
	case o.Fit.In:
		return []string{"Fit it inside " + box + turned}
	}
	return []string{"Fill " + box + ", cropping " + o.anchor()}
}

func sideWords(pixels int, own bool) string {
	if own {
		return "its own"
	}
	return strconv.Itoa(pixels)
}

func (o Operations) anchor() string {
	if o.Smart {
		return "around the most salient region"
	}
	h, v := o.HAlign, o.VAlign
	if h == "" {
		h = HAlignCenter
	}
	if v == "" {
		v = VAlignMiddle
	}
	return fmt.Sprintf("to the %s %s", v, h)
}

// Explain describes the filter in one line of English.
func (c Call) Explain() string {
	s := specOf(c.Name)
	line := s.Effect
	for _, p := range s.Parameters {
		v := c.Args[p.Name]
		shown := v.Text
		if (p.Kind == KindInt || p.Kind == KindNumber) && !slices.Contains(p.Words, v.Text) {
			shown = FormatDecimal(v.Number)
		}
		line = strings.ReplaceAll(line, "{"+p.Name+"}", shown)
	}
	for _, what := range []string{"box", "outline", "shadow"} {
		if v := c.Args[what]; v.Set && !v.Colour.invisible() {
			line += ", " + what + " " + v.Text
		}
	}
	return line
}

func cornerOf(c Corner) Corner {
	if c == "" {
		return CornerTopLeft
	}
	return c
}

// FormatDecimal returns a number with as many decimals as it needs, and without an exponent.
func FormatDecimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func edge(f float64, name string) string {
	if f == 0 {
		return name
	}
	return FormatDecimal(f)
}
