package vips

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/safelight/safelight/fault"
)

// The limits of an SVG. Files beyond them attack the renderer.
const (
	svgBytes    = 16 << 20
	svgElements = 200_000
	svgDepth    = 256
)

// svgURL matches the references of CSS; the group is the target.
var svgURL = regexp.MustCompile(`(?i)url\(\s*["']?\s*([^"')]*)`)

// checkSVG refuses an SVG that refers to anything outside itself, declares entities or is too large to be drawn. Only
// then does the renderer get it.
func checkSVG(name string, data []byte) error {
	if len(data) > svgBytes {
		return fault.New(fault.TooLarge, "The SVG %s has %d bytes; at most %d are drawn", name, len(data), svgBytes)
	}
	decoder := xml.NewDecoder(bytes.NewReader(data))
	decoder.CharsetReader = latin
	elements, depth, style, cost := 0, 0, 0, newSVGCost()
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			if problem := cost.problem(); problem != "" {
				return fault.New(fault.TooLarge, "The SVG %s has %s", name, problem)
			}
			return nil
		}
		if err != nil {
			return fault.Wrap(err, fault.CorruptImage, "The SVG %s is not well-formed", name)
		}
		problem := ""
		switch t := token.(type) {
		case xml.Directive:
			problem = checkDirective(t)
		case xml.ProcInst:
			if t.Target != "xml" {
				problem = "a processing instruction"
			}
		case xml.StartElement:
			elements, depth = elements+1, depth+1
			if t.Name.Local == "style" {
				style++
			}
			cost.start(t)
			if problem = checkElement(t); problem == "" {
				problem = cost.pictures(t)
			}
		case xml.EndElement:
			depth--
			cost.end()
			if t.Name.Local == "style" {
				style--
			}
		case xml.CharData:
			cost.characters(string(t))
			if style > 0 {
				cost.css(string(t))
				problem = checkCSS(string(t))
			}
		}
		if problem != "" {
			return fault.New(fault.UnsupportedType, "The SVG %s has %s, which is not drawn", name, problem)
		}
		if elements > svgElements || depth > svgDepth {
			return fault.New(
				fault.TooLarge, "The SVG %s has more than %d elements, or deeper than %d", name, svgElements,
				svgDepth,
			)
		}
	}
}

// checkDirective accepts a plain document type. It returns what is wrong; empty: nothing.
func checkDirective(d xml.Directive) string {
	if bytes.Contains(d, []byte("[")) || bytes.Contains(bytes.ToUpper(d), []byte("ENTITY")) {
		return "a document type with declarations of its own"
	}
	return ""
}

func checkElement(e xml.StartElement) string {
	if e.Name.Local == "feMorphology" { // its time grows with the square of a radius, which depends on the scale
		return "the filter effect feMorphology"
	}
	if e.Name.Local == "include" || strings.Contains(e.Name.Space, "XInclude") {
		return "an inclusion"
	}
	for _, a := range e.Attr {
		// The renderer does not follow links.
		if a.Name.Local == "href" && e.Name.Local != "a" && !inside(a.Value) {
			return "a reference to the outside"
		}
		if a.Name.Local == "base" && a.Name.Space != "" {
			return "a base of its own"
		}
		if problem := checkCSS(a.Value); problem != "" {
			return problem
		}
	}
	return ""
}

// checkCSS checks a style sheet, or an attribute, which may contain one.
func checkCSS(text string) string {
	if strings.Contains(strings.ToLower(text), "@import") {
		return "an imported style sheet"
	}
	for _, m := range svgURL.FindAllStringSubmatch(text, -1) {
		if !inside(m[1]) {
			return "a reference to the outside"
		}
	}
	return ""
}

// inside reports whether a reference stays in the file: a fragment or an embedded raster picture.
func inside(reference string) bool {
	reference = strings.ToLower(strings.TrimSpace(reference))
	if reference == "" || reference[0] == '#' {
		return true
	}
	return strings.HasPrefix(reference, "data:image/") && !strings.HasPrefix(reference, "data:image/svg")
}

// latin reads the single-byte encodings that old files declare. Non-ASCII characters occur in them only as text.
func latin(charset string, input io.Reader) (io.Reader, error) {
	switch c := strings.ToLower(charset); {
	case c == "utf-8", c == "us-ascii", strings.HasPrefix(c, "iso-8859-"), strings.HasPrefix(c, "windows-125"):
		data, err := io.ReadAll(input)
		return strings.NewReader(strings.ToValidUTF8(string(data), "?")), err
	}
	return nil, fmt.Errorf("encoding %s is not read", charset)
}
