package vips

import (
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Outlines of an SVG, counted as elements: a dash is one, and so are pathSegments of a path.
const (
	pathSegments = 4
	maxOutline   = 100 * svgElements
)

var dashStyle = regexp.MustCompile(`(?i)stroke-dasharray\s*:\s*([^;}]*)`)

// dashes is a dash pattern: how many dashes there are on a unit of an outline; 0 is none.
type dashes float64

// dashesOf reads stroke-dasharray. Units are taken for the smallest, which makes the most dashes.
func dashesOf(value string) dashes {
	sum, n := 0.0, 0
	for _, field := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r <= ' ' }) {
		x, ok := leadingNumber(field)
		if !ok || x < 0 {
			return 0 // "none", or not drawn as dashes
		}
		sum, n = sum+x, n+1
	}
	if sum <= 0 {
		return 0
	}
	return dashes(float64(n) / 2 / sum)
}

// leadingNumber reads the number that a length starts with.
func leadingNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text[:numberEnd(text)], 64)
	return x, err == nil || math.IsInf(x, 0)
}

// inherit returns the dashes of an element within one that has some.
func (d dashes) inherit(e xml.StartElement) dashes {
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "stroke-dasharray":
			if strings.TrimSpace(a.Value) != "inherit" {
				d = dashesOf(a.Value)
			}
		case "style":
			if m := dashStyle.FindStringSubmatch(a.Value); m != nil {
				return dashesOf(m[1]) // a style has precedence
			}
		}
	}
	return d
}

// outline returns how long the outline of a shape is at most, in its own units, and of how many segments it is.
func outline(e xml.StartElement) (length float64, segments int) {
	size := map[string]float64{}
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "d":
			length, segments = pathLength(a.Value)
		case "points":
			length, segments = pathLength("M" + a.Value + "Z")
		case "x1", "x2", "y1", "y2", "r", "rx", "ry", "width", "height", "pathLength":
			size[a.Name.Local], _ = leadingNumber(a.Value)
		}
	}
	switch e.Name.Local {
	case "line":
		length, segments = math.Hypot(size["x2"]-size["x1"], size["y2"]-size["y1"]), 1
	case "rect":
		length, segments = 2*(size["width"]+size["height"]), 4
	case "circle", "ellipse":
		length, segments = 2*math.Pi*max(size["r"], size["rx"], size["ry"]), 4
	case "path", "polyline", "polygon":
	default:
		return 0, 0
	}
	return max(length, size["pathLength"], 0), segments
}

// drawn returns what the outline of an element with those dashes counts for.
func (c *svgCost) drawn(d dashes, e xml.StartElement) int {
	length, segments := outline(e)
	c.outline += length
	count := float64(segments) / pathSegments
	if d > 0 {
		count += length * float64(d)
	}
	if !(count < maxOutline) { // or not a number
		return maxOutline
	}
	return int(count)
}
