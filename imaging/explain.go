package imaging

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
)

// Explain returns what the URL means, one English line a step, in the order in which things happen.
func (r Request) Explain() []string {
	o := r.Operations
	var lines []string
	add := func(when bool, format string, a ...any) {
		if when {
			lines = append(lines, fmt.Sprintf(format, a...))
		}
	}
	add(true, "Load %s", r.source())
	add(o.Trim, "Trim the border that matches the color of the %s corner, tolerance %s", cornerOf(o.TrimBy), decimal(o.TrimTolerance))
	add(o.CropLeft != 0 || o.CropTop != 0 || o.CropRight != 0 || o.CropBottom != 0, "Crop the region from %s, %s to %s, %s",
		decimal(o.CropLeft), decimal(o.CropTop), edge(o.CropRight, "the right edge"), edge(o.CropBottom, "the bottom edge"))
	lines = append(lines, o.explainSize()...)
	add(o.HFlip, "Flip it horizontally")
	add(o.VFlip, "Flip it vertically")
	add(o.PaddingLeft+o.PaddingTop+o.PaddingRight+o.PaddingBottom > 0, "Pad it with %d pixels left, %d top, %d right, %d bottom",
		o.PaddingLeft, o.PaddingTop, o.PaddingRight, o.PaddingBottom)
	calls, _, err := o.Filters.Calls(false)
	for _, c := range calls {
		lines = append(lines, c.Explain())
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
	noWidth, noHeight := o.Width == 0 && !o.WidthOriginal, o.Height == 0 && !o.HeightOriginal
	if noWidth && noHeight {
		return nil
	}
	width, height := sideWords(o.Width, o.WidthOriginal), sideWords(o.Height, o.HeightOriginal)
	box := width + " x " + height
	turned := ""
	if o.Fit.Adaptive {
		turned = ", swapping the sides if the orientation differs"
	}
	switch {
	case o.Stretch:
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

// Explain returns what the filter does, in one English line.
func (c Call) Explain() string {
	s := specOf(c.Name)
	line := s.Effect
	for _, p := range s.Parameters {
		v := c.Args[p.Name]
		shown := v.Text
		if (p.Kind == KindInt || p.Kind == KindNumber) && !slices.Contains(p.Words, v.Text) {
			shown = decimal(v.Number)
		}
		line = strings.ReplaceAll(line, "{"+p.Name+"}", shown)
	}
	return line
}

func cornerOf(c Corner) Corner {
	if c == "" {
		return CornerTopLeft
	}
	return c
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func edge(f float64, name string) string {
	if f == 0 {
		return name
	}
	return decimal(f)
}
