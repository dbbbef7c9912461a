package vips

import (
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Text and kernels of an SVG. What is over them has made the renderer abort or compute without end.
const (
	svgText      = 100_000 // characters in all text elements
	svgMarks     = 64      // combining characters on one letter
	svgFontSize  = 20_000  // in whatever unit
	svgFamilies  = 100     // names of fonts for one text: each is looked for
	svgKernel    = 15      // side of a convolution matrix
	svgOctaves   = 9       // of turbulence: later ones are finer than a step of a color
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

// excess notes the first thing that is too much.
func (c *svgCost) excess(problem string, isTooMuch bool) {
	if isTooMuch && c.over == "" {
		c.over = problem
	}
}

// texts looks at the attributes of an element that decide how text and kernels are drawn.
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

// fonts looks at the fonts of a style.
func (c *svgCost) fonts(style string) {
	for _, m := range familyList.FindAllStringSubmatch(style, -1) {
		c.excess(tooManyFonts, strings.Count(m[1], ",") >= svgFamilies)
	}
	for _, m := range fontStyle.FindAllStringSubmatch(style, -1) {
		for _, word := range strings.Fields(m[1]) { // "font" has more than the size
			size, _ := leadingNumber(word)
			c.excess(tooLargeFont, size > svgFontSize)
		}
	}
}

// characters counts what a text element holds.
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

// leadingNumber reads the number that a length starts with.
func leadingNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text[:numberEnd(text)], 64)
	return x, err == nil || math.IsInf(x, 0)
}

// numberEnd returns where the number at the start of a text ends.
func numberEnd(text string) int {
	n, isFraction, hasExponent := 0, false, false
	for ; n < len(text); n++ {
		switch c := text[n]; {
		case c >= '0' && c <= '9':
		case (c == '+' || c == '-') && (n == 0 || text[n-1]|0x20 == 'e'):
		case c == '.' && !isFraction && !hasExponent:
			isFraction = true
		case c|0x20 == 'e' && n > 0 && !hasExponent && n+1 < len(text) && strings.IndexByte("+-0123456789", text[n+1]) >= 0:
			hasExponent = true
		default:
			return n
		}
	}
	return n
}
