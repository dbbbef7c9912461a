package vips

import (
	"fmt"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

func TestCheckSVG(t *testing.T) {
	const open = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">`
	for body, want := range map[string]fault.Code{
		open + `<rect width="5" height="5" fill="url(#g)"/></svg>`:                "",
		open + `<use xlink:href="#g"/><a href="https://example.com/">x</a></svg>`: "",
		open +
			`<image href="data:image/png;base64,AAAA"/></svg>`: fault.UnsupportedType,
		open + `<image href="data:image/gif,GIF89a%01%00%01%00%00%00%00;"/></svg>`:                    "",
		`<?xml version="1.0" encoding="ISO-8859-1"?>` + open + `</svg>`:                               "",
		`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd">` + open + `</svg>`: "",
		open +
			`<image xlink:href="file:///etc/passwd"/></svg>`: fault.UnsupportedType,
		open +
			`<image href="//example.com/a.png"/></svg>`: fault.UnsupportedType,
		open +
			`<image href="data:image/svg+xml;base64,AAAA"/></svg>`: fault.UnsupportedType,
		open +
			`<use href="other.svg#a"/></svg>`: fault.UnsupportedType,
		open +
			`<rect style="fill:URL( 'http://example.com/#a' )"/></svg>`: fault.UnsupportedType,
		open +
			`<style>@import "x.css";</style></svg>`: fault.UnsupportedType,
		open +
			`<style>a{fill:url(x.svg#a)}</style></svg>`: fault.UnsupportedType,
		open +
			`<g xml:base="http://example.com/"/></svg>`: fault.UnsupportedType,
		open +
			`<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="#a"/></svg>`: fault.UnsupportedType,
		`<?xml-stylesheet href="x.css"?>` + open +
			`</svg>`: fault.UnsupportedType,
		`<!DOCTYPE svg [<!ENTITY a "b">]>` + open +
			`&a;</svg>`: fault.UnsupportedType,
		`<!DOCTYPE svg SYSTEM "x" [<!ENTITY % a SYSTEM "http://example.com/">]>` + open +
			`</svg>`: fault.UnsupportedType,
		open + `&undeclared;</svg>`: fault.CorruptImage,
		open + `<g>`:                fault.CorruptImage,
		`<?xml version="1.0" encoding="UTF-16"?>` + open + `</svg>`:                          fault.CorruptImage,
		open + strings.Repeat("<g>", svgDepth) + strings.Repeat("</g>", svgDepth) + `</svg>`: fault.TooLarge,
		open + strings.Repeat("<g/>", svgElements) + `</svg>`:                                fault.TooLarge,
		open + fmt.Sprintf("<!-- %s --></svg>", strings.Repeat("x", svgBytes)):               fault.TooLarge,
	} {
		if got := fault.CodeOf(checkSVG("test", []byte(body))); got != want {
			t.Errorf("%.150s: %q, want %q", body, got, want)
		}
	}
}

// TestSVGCost counts what use draws again, and filters.
func TestSVGCost(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want fault.Code
	}{
		"1,000 uses":      {useBomb(3), ""},
		"1,000,000 uses":  {useBomb(6), fault.TooLarge},
		"a use of itself": {svgOf(`<g id="a"><use href="#a"/></g>`), ""},
		"a circle of two": {svgOf(`<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>`), ""},
		"a drop shadow": {svgOf(`<filter id="f"><feGaussianBlur/><feOffset/><feBlend/></filter>` +
			strings.Repeat(`<rect filter="url(#f)"/>`, 20)), ""},
		"many shadows": {svgOf(`<filter id="f"><feGaussianBlur/><feOffset/><feBlend/></filter>` +
			strings.Repeat(`<rect filter="url(#f)"/>`, 200)), fault.TooLarge},
		"many styled": {svgOf(`<filter id="f"><feGaussianBlur/><feOffset/><feBlend/></filter>` +
			strings.Repeat(`<rect style="filter:url(#f)"/>`, 200)), fault.TooLarge},
		"deep turbulence": {
			svgOf(`<filter id="f"><feTurbulence numOctaves="1e9"/><feBlend/></filter><rect filter="url(#f)"/>`),
			fault.TooLarge},
		"200 rows of icons": {
			svgOf(`<symbol id="s"><path/><path/></symbol>` + strings.Repeat(`<use href="#s"/>`, 20_000)), ""},
	} {
		if err := checkSVG("x", c.data); fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
}
