package vips

// #include "layer.h"
import "C"

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unsafe"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// words is a text to draw.
type words struct {
	text    string
	font    string // family and style, without a size
	size    float64
	width   int // pixels; 0: does not wrap
	align   int // libvips': 0 low, 1 centre, 2 high
	justify bool
	wrap    int // libvips': 0 word, 1 char, 2 word-char, 3 none
	spacing int
	dpi     int
}

// The bounds of a text: characters, and the height of a line in pixels.
const (
	mostCharacters = 5000
	mostTextSize   = 2000
)

func filterText(j *job, c imaging.Call) error {
	if j.dry {
		return nil
	}
	w := words{
		text: c.Text("text"), justify: c.Text("justify") == "true",
		spacing: int(c.Float("spacing")), dpi: int(c.Float("dpi")),
		align: map[string]int{"low": 0, "centre": 1, "center": 1, "high": 2}[c.Text("align")],
		wrap:  map[string]int{"word": 0, "char": 1, "wordchar": 2, "none": 3}[c.Text("wrap")],
	}
	w.font, w.size = fontOf(c.Text("font"))
	var ok bool
	if w.width, ok = textWidth(c.Text("width"), j.image.width()); !ok {
		if err := j.misread("text", "width", "filter text: argument width is not followed, expected pixels, 80p, 0..1, f or f-20"); err != nil {
			return err
		}
	}
	return j.write(w, c)
}

func filterLabel(j *job, c imaging.Call) error {
	if j.dry {
		return nil
	}
	line := strings.Join(strings.FieldsFunc(c.Text("text"), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	font, _ := fontOf(c.Text("font"))
	return j.write(words{text: line, font: font, size: c.Float("size"), dpi: 72, wrap: 3}, c)
}

// write draws the text over the job's picture.
func (j *job) write(w words, c imaging.Call) error {
	w.text = printable(w.text)
	if strings.TrimSpace(w.text) == "" {
		return j.misread(c.Name, "text", "filter "+c.Name+": the text is empty")
	}
	if err := w.check(c.Name, j.limits); err != nil {
		return err
	}
	colour, err := j.paint(c.Arg("colour").Colour)
	if err != nil {
		return err
	}
	mask, err := w.draw()
	if err != nil { // a font that has no glyph to draw, for instance
		j.warn(c.Name, "text", "filter "+c.Name+": the text cannot be drawn")
		return nil
	}
	defer mask.close()
	lazy, err := mask.tinted(colour)
	if err != nil {
		return j.failed(err)
	}
	defer lazy.close()
	picture, err := lazy.copyMemory()
	if err != nil {
		return j.failed(err)
	}
	over := &job{image: picture}
	defer over.close()
	return j.lay(over, c)
}

// printable leaves out what Pango's markup does not take, and escapes what it would obey.
func printable(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || r == unicode.ReplacementChar || r == '\ufffe' || r == '\uffff' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(clean)
}

// fontOf reads `sans-bold-24` or `sans bold 24`: a Pango description, and its size in points, 20 where
// none is given.
func fontOf(text string) (font string, size float64) {
	fields := strings.Fields(strings.NewReplacer("-", " ", ",", " ", "@", " ", "#", " ").Replace(printable(text)))
	size = 20
	if n := len(fields); n > 0 {
		if v, err := strconv.ParseFloat(strings.TrimSuffix(fields[n-1], "px"), 64); err == nil && v > 0 {
			size, fields = v, fields[:n-1]
		}
	}
	if font = strings.Join(fields, " "); font == "" {
		font = "sans"
	}
	return font, size
}

// textWidth reads a text's width on a parent of that width; 0 is no bound.
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

// check refuses a text whose drawing could be larger than the limits allow, before Pango lays it out.
// A character is at most four times as wide as the font is high, but for rare ligatures.
func (w words) check(filter string, limits imaging.Limits) error {
	line := w.size * float64(w.dpi) / 72
	if line > mostTextSize {
		return fault.OnField(fault.TooLarge, filter, "filter %s: the font would be %.0f pixels high, expected at most %d", filter, line, mostTextSize)
	}
	if n := len([]rune(w.text)); n > mostCharacters {
		return fault.OnField(fault.TooLarge, filter, "filter %s: the text has %d characters, expected at most %d", filter, n, mostCharacters)
	}
	longest, lines, marks := 0, 0, 0
	for part := range strings.SplitSeq(w.text, "\n") {
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
	height := (2*line + max(float64(w.spacing), 0)) * float64(lines)
	if most := limits.MaxResultPixels; most > 0 && width*(height+float64(marks)*line/2) > float64(most) {
		return fault.OnField(fault.TooLarge, filter, "filter %s: the text is too long for its size, expected less text or a smaller font", filter)
	}
	return nil
}

// draw returns the text as a mask.
func (w words) draw() (*image, error) {
	text := C.CString(w.text)
	defer C.free(unsafe.Pointer(text))
	font := C.CString(w.font + " " + strconv.FormatFloat(w.size, 'f', 2, 64))
	defer C.free(unsafe.Pointer(font))
	justify := C.int(0)
	if w.justify {
		justify = 1
	}
	var out *C.VipsImage
	code := C.sl_text(&out, text, font, C.int(w.width), C.int(w.align), justify, C.int(w.wrap), C.int(w.spacing), C.int(w.dpi))
	return made(out, code)
}

// tinted returns the mask as the alpha of that colour.
func (i *image) tinted(c imaging.Colour) (*image, error) {
	var out *C.VipsImage
	code := C.sl_tint(i.v, &out, C.double(c.R), C.double(c.G), C.double(c.B), C.double(float64(c.A)/255))
	return made(out, code)
}
