package vips

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// TestSVGCosts holds what is drawn and what costs the renderer too much: text, filters and embedded pictures.
func TestSVGCosts(t *testing.T) {
	uri := func(kind string, data []byte) string {
		return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
	}
	image := func(href string) string { return `<image width="9" height="9" xlink:href="` + href + `"/>` }
	photo, drawing := jpegOf(t, gradient(64, 48, false)), pngOf(t, gradient(64, 48, true))
	attributes := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ` a%d=""`, i)
		}
		return "<rect" + b.String() + "/>"
	}
	for name, c := range map[string]struct {
		inside string
		code   fault.Code
	}{
		"text": {`<text font-size="900">Hello <tspan style="font: italic 40px serif">e` +
			strings.Repeat("\u0301", svgMarks) + `</tspan></text><desc>` + strings.Repeat("W", 2*svgText) + `</desc>`,
			""},
		"a huge font":            {`<text font-size="1e9">Hello</text>`, fault.TooLarge},
		"a huge font of a group": {`<g style="fill:red;font-size:20001px"><text>Hello</text></g>`, fault.TooLarge},
		"a huge font of a sheet": {`<style>text { font: bold 1e9px serif }</style><text>Hello</text>`,
			fault.TooLarge},
		"100 fonts": {`<text font-family="` + strings.Repeat("a,", 99) + `a" style="font:9px ` +
			strings.Repeat("a,", 99) + `a">Hello</text>`, ""},
		"101 fonts": {`<text font-family="` + strings.Repeat("a,", 100) + `a">Hello</text>`,
			fault.TooLarge},
		"101 fonts of a sheet": {`<style>text { FONT-family: ` + strings.Repeat("a,", 100) + `a }</style>`,
			fault.TooLarge},
		"combining characters": {`<text>e<tspan>` + strings.Repeat("\u0301", svgMarks+1) + `</tspan></text>`,
			fault.TooLarge},
		"much text": {strings.Repeat(`<text>`+strings.Repeat("W", 1000)+`</text>`, 101),
			fault.TooLarge},
		"a matrix":  {`<filter><feConvolveMatrix order="3 5" kernelMatrix="1"/></filter>`, ""},
		"9 octaves": {`<filter><feTurbulence numOctaves=" 9 "/></filter>`, ""},
		"10 octaves": {`<filter><feTurbulence baseFrequency="0.9" numOctaves="10"/></filter>`,
			fault.TooLarge},
		"octaves with an exponent": {`<filter><feTurbulence numOctaves="1e5"/></filter>`, fault.TooLarge},
		"a large matrix": {`<filter><feConvolveMatrix order="60" kernelMatrix="1"/></filter>`,
			fault.TooLarge},
		"1000 attributes": {attributes(1000), ""},
		"1001 attributes": {attributes(1001), fault.TooLarge},
		"a photo": {image(uri("jpeg", photo)) + image(uri("png", drawing)) + `<use xlink:href="#a"/>`,
			""},
		"a photo without base64": {image("data:image/gif,GIF89a%01%00%01%00%00%00%00;"), ""},
		"a bomb":                 {image(uri("png", bomb(20_000, 20_000))), fault.TooLarge},
		"small ones, together": {image(uri("png", bomb(3_900, 4_000))) + image(uri("png", bomb(4_000, 3_900))),
			fault.TooLarge},
		"the same one again":        {strings.Repeat(image(uri("png", bomb(3_000, 4_000))), 9), ""},
		"a bomb under another name": {image(uri("jpeg", bomb(20_000, 20_000))), fault.TooLarge},
		"an SVG":                    {image(uri("png", svgOf(""))), fault.UnsupportedType},
		"nothing":                   {image("data:image/png;base64,"), fault.UnsupportedType},
		"many scans":                {image(uri("jpeg", manyScans(400, 400, 600))), fault.UnsupportedType},
		"a bomb of an effect": {`<filter id="f"><feImage xlink:href="` + uri("png", bomb(20_000, 20_000)) +
			`"/></filter>`, fault.TooLarge},
	} {
		if err := checkSVG("x", svgOf(c.inside)); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, expected %q", name, err, c.code)
		}
	}
}

// TestTextIsHidden has a PNG with a flood of compressed text read as if it had none; what a result needs stays.
func TestTextIsHidden(t *testing.T) {
	e := open(t)
	drawing := pngOf(t, gradient(64, 48, true))
	packet := "<x:xmpmeta>kept</x:xmpmeta>"
	text := pngChunk("zTXt", append([]byte("a\x00\x00"), zipped(t, 4_000_000)...))
	data := append([]byte{}, drawing[:33]...)
	data = append(
		append(data, pngChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+packet))...),
		strings.Repeat(string(text), 50)...)
	data = append(data, drawing[33:]...)
	cost := func(data []byte) int64 {
		before := cpuTime(t)
		for range 5 {
			if _, err := process(e, "30x30", data, t); err != nil {
				t.Fatal(err)
			}
		}
		return int64(cpuTime(t) - before)
	}
	plain, flooded := cost(drawing), cost(data)
	if flooded > 20*plain+int64(50e6) { // a thousand times as much, once
		t.Errorf("with 200 MB of text it takes %d ms of CPU, without it %d", flooded/1e6, plain/1e6)
	}
	want, err := process(e, "30x30", drawing, t)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := process(e, "30x30", data, t); err != nil || got.Route != want.Route ||
		!bytes.Equal(got.Data, want.Data) {
		t.Errorf("with text, another result, %v, %v, expected that of %v", got.Route, err, want.Route)
	}
	info, err := e.Info(
		t.Context(), sourceOf(data),
		imaging.InfoRequest{Operations: imaging.Operations{Filters: "xmp():sha256()"}},
		imaging.DefaultLimits(),
	)
	if err != nil || info.XMP != packet {
		t.Errorf("its XMP is %v, %v, expected %q", info, err, packet)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(data)); info != nil && info.SHA256 != want {
		t.Errorf("its hash is %s, expected %s", info.SHA256, want)
	}
}
