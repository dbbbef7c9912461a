package vips

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// svgEffects is the most that the filters of an SVG may cost: primitives, and octaves of turbulence, times the
// elements that refer to a filter. The renderer cannot be stopped.
const svgEffects = 200

// svgCost counts what drawing an SVG takes beyond its elements: what `use` draws again, and filters.
type svgCost struct {
	open    []string            // the ids that enclose the place, empty for an element without one
	own     map[string]int      // elements inside an id, its own uses not followed
	uses    map[string][]string // what the uses inside an id refer to
	filters int                 // elements that refer to a filter
	effects int                 // primitives, weighted

	inText  int    // elements that are open, from a text element on
	letters int    // of all texts
	marks   int    // combining characters, one after the other
	over    string // what has been found to be too much, in words

	embedded map[string]bool // pictures, by their data URIs
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

// start notes an element; end is called where it ends. The empty id stands for the whole file.
func (c *svgCost) start(e xml.StartElement) {
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
		c.uses[holder] = append(c.uses[holder], id) // what is inside is drawn with what holds it
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

// css notes a style sheet, whose rules may put a filter on any element.
func (c *svgCost) css(text string) {
	if strings.Contains(strings.ToLower(text), "filter:") {
		c.filters += 10
	}
	c.fonts(text)
}

// elements returns how many elements are drawn, uses followed, at most one over limit.
func (c *svgCost) elements(limit int) int {
	known, open := map[string]int{}, map[string]bool{}
	var count func(id string) int
	count = func(id string) int {
		if n, ok := known[id]; ok || open[id] { // the renderer cuts circles
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

// problem says in words what is too much; empty when nothing is.
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
