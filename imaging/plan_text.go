package imaging

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/safelight/safelight/fault"
)

// TextSpec is a text to draw. Its size is known only after it was drawn.
type TextSpec struct {
	Text    string // Pango markup
	Font    string // family and style, without a size
	Size    float64
	Ink     int    // height of the inked part in pixels, instead of Size; 0: use Size
	Width   int    // pixels; 0: does not wrap
	Align   string // low, centre or high
	Justify bool
	Wrap    string // word, char, wordchar or none
	Spacing int    // pixels between lines
	DPI     int
	Colour  Colour
	Around  Around
}

// Around describes what is drawn around and below a text or a picture. A fully transparent colour draws nothing. The
// zero value is a bare layer. Measures are in pixels.
type Around struct {
	Box          Colour  // a rounded box below the layer
	Padding      int     // from the ink or the picture to the box's edges
	Radius       float64 // radius of the box, or of the picture's corners without a box
	Outline      Colour
	OutlineWidth float64
	Shadow       Colour // shadow of the box, or of the layer without a box
	ShadowX      int
	ShadowY      int
	ShadowBlur   float64 // sigma
}

// Border returns by how many pixels the box or the outline exceeds the ink on each side.
func (a Around) Border() int {
	n := 0
	if !a.Box.invisible() {
		n = a.Padding
	}
	if !a.Outline.invisible() {
		n = max(n, int(math.Ceil(a.OutlineWidth)))
	}
	return n
}

// RoundsLayer reports whether the radius applies to the layer's own corners, because there is no box.
func (a Around) RoundsLayer() bool { return a.Box.invisible() }

// Reach returns by how many pixels the shadow exceeds that on each side.
func (a Around) Reach() int {
	if a.Shadow.invisible() {
		return 0
	}
	return max(abs(a.ShadowX), abs(a.ShadowY)) + int(math.Ceil(3*a.ShadowBlur))
}

func abs(n int) int { return max(n, -n) }

// AroundPicture returns what image() draws around a picture of size s.
func AroundPicture(c Call, s Size) Around {
	side := float64(min(s.Width, s.Height))
	a := aroundOf(c, side)
	a.Radius = c.Float("radius") / 100 * side
	return a
}

// Framed returns the size of a picture of size s including what is drawn around it.
func (a Around) Framed(s Size) Size {
	margin := 2 * (a.Border() + a.Reach())
	return Size{s.Width + margin, s.Height + margin}
}

// aroundOf reads the lengths for a text with the given size in pixels.
func aroundOf(c Call, size float64) Around {
	pixels := func(name string) float64 { return c.Float(name) / 100 * size }
	round := func(name string) int { return int(math.Round(pixels(name))) }
	a := Around{}
	if box := c.Arg("box").Colour; !box.invisible() {
		a.Box, a.Padding, a.Radius = box, round("padding"), pixels("radius")
	}
	if outline := c.Arg("outline").Colour; !outline.invisible() {
		a.Outline, a.OutlineWidth = outline, pixels("outline_width")
	}
	if shadow := c.Arg("shadow").Colour; !shadow.invisible() {
		a.Shadow, a.ShadowX, a.ShadowY = shadow, round("shadow_x"), round("shadow_y")
		a.ShadowBlur = pixels("shadow_blur")
	}
	return a
}

// The limits of a text: number of characters, and line height in pixels.
const (
	maxCharacters = 5000
	maxTextSize   = 2000
	minTextSize   = 0.1 // points
	// MaxLabelWidth is the max width of a label in pixels; a longer label is drawn smaller.
	MaxLabelWidth = 9999
	// MaxAround is the max number of pixels of a text, or of one frame of a layer, including what is drawn around it.
	MaxAround = 16 << 20
)

// text plans text() and label().
func (p *planner) text(c Call, s *Step) error {
	t, ok := textOf(c, p.now.Size())
	if !ok {
		if err := p.misread("text", "width", "filter text: argument width is not followed, expected pixels, 80p, "+
			"0..1, f or f-20"); err != nil {
			return err
		}
	}
	if strings.TrimSpace(t.Text) == "" {
		s.Skip = true
		return p.misread(c.Name, "text", "filter "+c.Name+": the text is empty")
	}
	if err := t.check(c.Name, p.plan.Request.Limits); err != nil {
		return err
	}
	s.Pending = PendingSize
	s.Layer = &LayerPlan{
		Text: &t, X: c.Arg("x").Position, Y: c.Arg("y").Position,
		Alpha: c.Float("alpha"), Blend: c.Text("blend"), Parent: p.now.Size(), Reach: t.Around.Reach(),
	}
	return p.lay(s.Layer, 1, true)
}

// textOf reads the arguments of a text on a parent of the given size; ok is false for a width that cannot be read.
func textOf(c Call, parent Size) (t TextSpec, ok bool) {
	var percent bool
	t.Font, t.Size, percent = fontOf(c.Text("font"))
	t.Colour = c.Arg("color").Colour
	if c.Name == "label" {
		line := strings.Join(
			strings.FieldsFunc(c.Text("text"), func(r rune) bool { return r == '\n' || r == '\r' }),
			" ",
		)
		t.Text = printable(line)
		t.Size, t.DPI = c.Float("size"), 72
		t.Ink = max(int(math.Round(t.Size)), 1)
		t.Wrap, t.Align = "none", "low"
		t.Around = aroundOf(c, float64(t.Ink))
		return t, true
	}
	t.Text, t.Justify = printable(c.Text("text")), c.Text("justify") == "true"
	t.Spacing, t.DPI = int(c.Float("spacing")), int(c.Float("dpi"))
	if percent {
		pixels := t.Size / 100 * float64(min(parent.Width, parent.Height))
		t.Size = max(pixels*72/float64(t.DPI), minTextSize)
	}
	t.Around = aroundOf(c, t.Size*float64(t.DPI)/72)
	t.Align, t.Wrap = strings.Replace(c.Text("align"), "center", "centre", 1), c.Text("wrap")
	t.Width, ok = textWidth(c.Text("width"), parent.Width)
	return t, ok
}

// printable removes characters that Pango's markup does not accept, and escapes those with a meaning in it.
func printable(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || r == unicode.ReplacementChar || r == '\ufffe' ||
			r == '\uffff' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(clean)
}

// fontOf reads `sans-bold-24` or `sans bold 24`: a Pango description, and its size in points, 20 if none is given.
// `sans-bold-8p` has a size in percent of the picture's shorter side.
func fontOf(text string) (font string, size float64, percent bool) {
	fields := strings.Fields(strings.NewReplacer("-", " ", ",", " ", "@", " ", "#", " ").Replace(printable(text)))
	size = 20
	if n := len(fields); n > 0 {
		last := strings.TrimSuffix(fields[n-1], "px")
		number, share := strings.CutSuffix(last, "p")
		if v, err := strconv.ParseFloat(number, 64); err == nil && v > 0 {
			size, percent, fields = v, share, fields[:n-1]
		}
	}
	if font = strings.Join(fields, " "); font == "" {
		font = "sans"
	}
	return font, size, percent
}

// textWidth reads a text's width on a parent of the given width; 0 is no limit.
func textWidth(text string, parent int) (int, bool) {
	number := func(s string) (float64, bool) {
		v, err := strconv.ParseFloat(s, 64)
		return v, err == nil && v >= 0 && v < 1e6
	}
	pixels := func(v float64) int { return max(int(math.Round(v)), 1) }
	if rest, ok := strings.CutPrefix(strings.Replace(text, "full", "f", 1), "f"); ok {
		if rest == "" {
			return parent, true
		}
		less, ok := number(strings.TrimPrefix(rest, "-"))
		return pixels(float64(parent) - less), ok && rest[0] == '-'
	}
	if percent, ok := strings.CutSuffix(text, "p"); ok {
		v, ok := number(percent)
		return pixels(v / 100 * float64(parent)), ok
	}
	v, ok := number(text)
	switch {
	case !ok || v == 0:
		return 0, ok
	case v < 1 || v == 1 && strings.Contains(text, "."):
		return pixels(v * float64(parent)), true
	}
	return pixels(v), true
}

// check rejects a text whose drawing could be larger than the limits allow, before Pango lays it out.
func (t TextSpec) check(filter string, limits Limits) error {
	line := t.Size * float64(t.DPI) / 72
	if line > maxTextSize {
		return fault.OnField(
			fault.TooLarge, filter, "filter %s: the font would be %.0f pixels high, expected at most %d",
			filter, line, maxTextSize,
		)
	}
	if n := len([]rune(t.Text)); n > maxCharacters {
		return fault.OnField(
			fault.TooLarge, filter, "filter %s: the text has %d characters, expected at most %d", filter, n,
			maxCharacters,
		)
	}
	if limit := limits.MaxResultPixels; limit > 0 && t.bound() > float64(limit) {
		return fault.OnField(
			fault.TooLarge, filter,
			"filter %s: the text is too long for its size, expected less text or a smaller font", filter,
		)
	}
	return nil
}

// PixelsAround returns the max number of pixels of the text including what is drawn around it, at most MaxAround; 0 if
// nothing is.
func (t TextSpec) PixelsAround() float64 {
	if t.Around == (Around{}) {
		return 0
	}
	return min(t.bound(), MaxAround)
}

// bound returns the max number of pixels of the text including what is drawn around it. Except for rare ligatures, a
// character is at most four times as wide as the font is high.
func (t TextSpec) bound() float64 {
	line := t.Size * float64(t.DPI) / 72
	longest, lines, marks := 0, 0, 0
	for part := range strings.SplitSeq(t.Text, "\n") {
		n := 0
		for _, r := range part {
			n++
			if unicode.Is(unicode.M, r) {
				marks++
			}
		}
		longest, lines = max(longest, n), lines+1
	}
	width := 4 * line * float64(longest)
	if t.Ink > 0 {
		width = min(width, MaxLabelWidth)
	}
	height := (2*line + max(float64(t.Spacing), 0)) * float64(lines)
	beside := 2 * float64(t.Around.Border()+t.Around.Reach())
	width, height = width+beside, height+beside
	return width * (height + float64(marks)*line/2)
}
