package vips

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/screen"
)

// svgEffects is the max cost of the filters of an SVG: primitives, and octaves of turbulence, times the elements that
// refer to a filter. The renderer cannot be stopped.
const svgEffects = 200

// svgAttributes is the max number of attributes of an element. libxml2 compares each one with all earlier ones.
const svgAttributes = 1000

// svgCost counts what drawing an SVG takes beyond its elements: what `use` repeats, and filters.
type svgCost struct {
	open    []string            // ids of the enclosing elements; empty for an element without one
	own     map[string]int      // number of elements inside an id, without following its uses
	uses    map[string][]string // targets of the uses inside an id
	filters int                 // elements that refer to a filter
	effects int                 // weighted number of filter primitives

	inText  int    // open elements, counted from a text element
	letters int    // of all texts
	marks   int    // consecutive combining characters
	over    string // the first limit that was exceeded, in words

	embedded map[string]bool // pictures, by data URI
	pixels   int64           // of them together
}

func newSVGCost() *svgCost {
	return &svgCost{
		open:     []string{""},
		own:      map[string]int{},
		uses:     map[string][]string{},
		embedded: map[string]bool{},
	}
}

// start records an element; end must be called at its end. The empty id represents the whole file.
func (c *svgCost) start(e xml.StartElement) {
	c.excess("an element of more attributes than are read", len(e.Attr) > svgAttributes)
	id, use := "", ""
	weight := 1
	for _, a := range e.Attr {
		switch {
		case a.Name.Local == "id":
			id = a.Value
		case a.Name.Local == "href" && e.Name.Local == "use":
			use = strings.TrimPrefix(strings.TrimSpace(a.Value), "#")
		case a.Name.Local == "numOctaves":
			if n, err := strconv.ParseFloat(strings.TrimSpace(a.Value), 64); err == nil && n > 1 {
				weight = int(min(n, svgEffects))
			}
		case a.Name.Local == "filter":
			c.filters++
		case a.Name.Local == "style":
			c.filters += strings.Count(strings.ToLower(a.Value), "filter:")
		}
	}
	if strings.HasPrefix(e.Name.Local, "fe") {
		c.effects = min(c.effects+weight, svgEffects*1000)
	}
	holder := c.open[len(c.open)-1]
	if id == "" {
		id = holder
	} else if id != holder {
		c.uses[holder] = append(c.uses[holder], id) // its content is drawn with the enclosing element
	}
	c.texts(e)
	c.open = append(c.open, id)
	c.own[id]++
	if use != "" {
		c.uses[id] = append(c.uses[id], use)
	}
}

func (c *svgCost) end() {
	c.inText = max(c.inText-1, 0)
	c.open = c.open[:max(len(c.open)-1, 1)]
}

// css records a style sheet, whose rules may apply a filter to any element.
func (c *svgCost) css(text string) {
	if strings.Contains(strings.ToLower(text), "filter:") {
		c.filters += 10
	}
	c.fonts(text)
}

// elements returns how many elements are drawn, including uses, up to one over limit.
func (c *svgCost) elements(limit int) int {
	known, open := map[string]int{}, map[string]bool{}
	var count func(id string) int
	count = func(id string) int {
		if n, ok := known[id]; ok || open[id] { // the renderer breaks cycles
			return n
		}
		open[id] = true
		n := c.own[id]
		for _, inner := range c.uses[id] {
			if n = min(n+count(inner), limit+1); n > limit {
				break
			}
		}
		open[id] = false
		known[id] = n
		return n
	}
	return count("")
}

// problem describes the first limit that was exceeded; empty if none was.
func (c *svgCost) problem() string {
	switch {
	case c.over != "":
		return c.over
	case c.elements(svgElements) > svgElements:
		return "more elements, drawn again by use, than are drawn"
	case c.pixels > svgPixels:
		return fmt.Sprintf("embedded pictures of more than %d pixels", svgPixels)
	case c.effects*max(c.filters, 1) > svgEffects:
		return "more filter effects than are drawn"
	}
	return ""
}

// The limits for text and kernels of an SVG. Files beyond them have made the renderer abort or run forever.
const (
	svgText      = 100_000 // characters in all text elements
	svgMarks     = 64      // combining characters on one letter
	svgFontSize  = 20_000  // in whatever unit
	svgFamilies  = 100     // font names for one text, each of which is searched
	svgKernel    = 15      // side of a convolution matrix
	svgOctaves   = 9       // octaves of turbulence; later ones are finer than one color level
	tooMuchText  = "more text than is drawn"
	tooManyMarks = "more combining characters on a letter than are drawn"
	tooLargeFont = "a font size that is not drawn"
	tooManyFonts = "more names of fonts than are looked for"
	tooLargeCore = "a convolution matrix that is not drawn"
	tooManyRuns  = "more octaves of turbulence than are drawn"
)

var (
	fontStyle  = regexp.MustCompile(`(?i)font(?:-size)?\s*:([^;}]*)`)
	familyList = regexp.MustCompile(`(?i)font(?:-family)?\s*:([^;}]*)`)
)

// excess records the first limit that was exceeded.
func (c *svgCost) excess(problem string, isTooMuch bool) {
	if isTooMuch && c.over == "" {
		c.over = problem
	}
}

// texts checks the attributes of an element that decide how text and kernels are drawn.
func (c *svgCost) texts(e xml.StartElement) {
	if e.Name.Local == "text" || c.inText > 0 {
		c.inText++
	}
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "font-size":
			size, _ := leadingNumber(a.Value)
			c.excess(tooLargeFont, size > svgFontSize)
		case "font-family":
			c.excess(tooManyFonts, strings.Count(a.Value, ",") >= svgFamilies)
		case "style":
			c.fonts(a.Value)
		case "numOctaves":
			n, ok := leadingNumber(a.Value)
			c.excess(tooManyRuns, ok && n > svgOctaves)
		case "order":
			for _, side := range strings.Fields(a.Value) {
				n, _ := leadingNumber(side)
				c.excess(tooLargeCore, e.Name.Local == "feConvolveMatrix" && n > svgKernel)
			}
		}
	}
}

// fonts checks the fonts of a style.
func (c *svgCost) fonts(style string) {
	for _, m := range familyList.FindAllStringSubmatch(style, -1) {
		c.excess(tooManyFonts, strings.Count(m[1], ",") >= svgFamilies)
	}
	for _, m := range fontStyle.FindAllStringSubmatch(style, -1) {
		for _, word := range strings.Fields(m[1]) { // "font" has the size and the families
			size, _ := leadingNumber(word)
			c.excess(tooLargeFont, size > svgFontSize)
		}
	}
}

// characters counts the characters of a text element.
func (c *svgCost) characters(text string) {
	if c.inText == 0 {
		return
	}
	for _, r := range text {
		c.letters++
		if unicode.In(r, unicode.Mn, unicode.Me) {
			c.marks++
		} else {
			c.marks = 0
		}
		c.excess(tooManyMarks, c.marks > svgMarks)
	}
	c.excess(tooMuchText, c.letters > svgText)
}

// number matches the number at the start of a length.
var number = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`)

// leadingNumber reads the number at the start of a length.
func leadingNumber(text string) (float64, bool) {
	x, err := strconv.ParseFloat(number.FindString(strings.TrimSpace(text)), 64)
	return x, err == nil || math.IsInf(x, 0)
}

// svgPixels is the max total number of pixels of the pictures inside an SVG. The renderer decodes each one completely,
// to 8 bytes per pixel.
const svgPixels = 16_000_000

// pictures counts the pictures that an element refers to. It returns a description of what is wrong with one; empty:
// nothing.
func (c *svgCost) pictures(e xml.StartElement) (problem string) {
	for _, a := range e.Attr {
		if a.Name.Local == "href" && e.Name.Local != "a" && problem == "" {
			problem = c.picture(a.Value)
		}
	}
	return problem
}

// picture counts the picture of a data URI.
func (c *svgCost) picture(reference string) string {
	reference = strings.TrimSpace(reference)
	if !strings.HasPrefix(strings.ToLower(reference[:min(len(reference), 5)]), "data:") {
		return ""
	}
	if c.embedded[reference] { // decoded only once
		return ""
	}
	c.embedded[reference] = true
	data := dataOf(reference)
	pixels, ok := screen.Pixels(data)
	if !ok {
		return "an embedded picture that is not a PNG, JPEG or GIF"
	}
	c.pixels += min(pixels, svgPixels+1)
	kept, err := screen.File{Format: imaging.SniffFormat(data), Data: data}.Check()
	if err != nil || kept != nil {
		return "an embedded picture that costs more than it shows"
	}
	return ""
}

// dataOf returns the content of a data URI, as far as it can be decoded.
func dataOf(uri string) []byte {
	head, text, _ := strings.Cut(uri, ",")
	if unescaped, err := url.PathUnescape(text); err == nil {
		text = unescaped
	}
	if !strings.HasSuffix(strings.ToLower(strings.TrimSpace(head)), "base64") {
		return []byte(text)
	}
	text = strings.Map(func(r rune) rune {
		if r <= ' ' || r == '=' {
			return -1
		}
		return r
	}, text)
	data := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
	n, _ := base64.RawStdEncoding.Decode(data, []byte(text)) // use what precedes the damage
	return data[:n]
}
