package family

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// NoChoice is the text of a choice that leaves everything to the operations.
const NoChoice = "-"

// Choice is what a browser has chosen. A zero field means that nothing is chosen.
type Choice struct {
	Width   int     // CSS pixels
	Density float64 // device pixels per CSS pixel
	Format  imaging.Format
	Quality Quality
}

// String returns the text of a choice in a URL.
func (c Choice) String() string {
	var tokens []string
	if c.Width != 0 {
		tokens = append(tokens, formatWidth(c.Width))
	}
	if c.Density != 0 {
		tokens = append(tokens, formatDensity(c.Density))
	}
	if c.Format != "" {
		tokens = append(tokens, string(c.Format))
	}
	if c.Quality != "" {
		tokens = append(tokens, string(c.Quality))
	}
	if len(tokens) == 0 {
		return NoChoice
	}
	return strings.Join(tokens, ",")
}

// Choose reads a choice. It returns fault.SignatureMismatch, which names the token and what the family allows, if the
// policy does not allow the choice, and for any text that Choice.String would not produce.
func (p Policy) Choose(text string) (Choice, error) {
	var c Choice
	if text == NoChoice {
		return c, nil
	}
	for token := range strings.SplitSeq(text, ",") {
		if !c.read(token, p) {
			return Choice{}, outside("the family does not allow %s, it allows %s", fault.Quote(token), p.allowed())
		}
	}
	if c.String() != text {
		return Choice{}, outside("the choice %s is repeated or out of order, expected %s", fault.Quote(text), c)
	}
	return c, nil
}

func outside(format string, a ...any) error {
	return fault.OnField(fault.SignatureMismatch, "family", format, a...)
}

// read sets the field that a token chooses.
func (c *Choice) read(token string, p Policy) bool {
	if n, ok := parseWidth(token); ok && slices.Contains(p.Widths, n) {
		c.Width = n
		return true
	}
	if d, ok := parseDensity(token); ok && slices.Contains(p.Densities, d) {
		c.Density = d
		return true
	}
	if f := imaging.Format(token); slices.Contains(p.Formats, f) {
		c.Format = f
		return true
	}
	if q := Quality(token); slices.Contains(p.Qualities, q) {
		c.Quality = q
		return true
	}
	return false
}

// allowed lists the tokens that choices may contain.
func (p Policy) allowed() string {
	var list []string
	for _, one := range []string{joinAll(p.Widths, formatWidth), joinAll(p.Densities, formatDensity), join(p.Formats),
		join(p.Qualities)} {
		if one != "" {
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		return "only " + NoChoice
	}
	return strings.Join(list, ", ") + ", or " + NoChoice + " for none"
}

// Apply returns the operations with the choice applied. Sizes in the operations are CSS pixels. A chosen density
// multiplies them, and a chosen width scales the height and the padding proportionally. A chosen format or quality
// replaces the one in the operations.
func (c Choice) Apply(o imaging.Operations) imaging.Operations {
	sized := o.Width != 0 || o.Height != 0 || o.WidthOriginal || o.HeightOriginal
	density := c.Density
	if density == 0 {
		density = 1
	}
	switch scale := density; {
	case c.Width != 0:
		if o.Width != 0 {
			scale = float64(c.Width) * density / float64(o.Width)
		}
		o = scaled(o, scale)
		o.Width, o.WidthOriginal = scaledSide(c.Width, density), false
		if !sized {
			o.Filters = withNoUpscale(o.Filters)
		}
	case density != 1:
		o = scaled(o, density)
	}
	if c.Format != "" {
		o.Filters = replaced(o.Filters, imaging.Filter{Name: "format", Args: string(c.Format)}, "format", "autojpg")
	}
	if c.Quality != "" {
		o.Filters = replaced(
			o.Filters, imaging.Filter{Name: "quality", Args: strconv.Itoa(c.Quality.value())}, "quality",
		)
	}
	return o
}

// scaled multiplies the sides of the box and its padding.
func scaled(o imaging.Operations, by float64) imaging.Operations {
	for _, side := range []*int{&o.Width, &o.Height, &o.PaddingLeft, &o.PaddingTop, &o.PaddingRight, &o.PaddingBottom} {
		if *side != 0 {
			*side = scaledSide(*side, by)
		}
	}
	return o
}

// scaledSide returns a side in device pixels, at least 1.
func scaledSide(n int, by float64) int {
	return int(min(max(1, math.Round(float64(n)*by)), imaging.MaxNumber))
}

func withNoUpscale(list imaging.Filters) imaging.Filters {
	for _, f := range list.List() {
		if f.Name == "upscale" || f.Name == "no_upscale" {
			return list
		}
	}
	return list.Add(imaging.Filter{Name: "no_upscale"})
}

// replaced returns list without the filters that have the given names, and with another filter at the end.
func replaced(list imaging.Filters, with imaging.Filter, names ...string) imaging.Filters {
	var kept []imaging.Filter
	for _, f := range list.List() {
		if !slices.Contains(names, f.Name) {
			kept = append(kept, f)
		}
	}
	return imaging.FiltersOf(append(kept, with)...)
}
