package imaging_test

import (
	"testing"

	"github.com/safelight/safelight/fault"
	. "github.com/safelight/safelight/imaging"
)

func TestCalls(t *testing.T) {
	one := func(f Filters) Call {
		t.Helper()
		calls, warnings, err := f.Calls(true)
		if err != nil || len(calls) != 1 || len(warnings) != 0 {
			t.Fatalf("%s: %v, %v, %v", f, calls, warnings, err)
		}
		return calls[0]
	}
	if c := one("blur(4)"); c.Float("sigma") != 2 {
		t.Errorf("blur(4) has sigma %v, expected value/2", c.Float("sigma"))
	}
	if c := one("blur(4,3)"); c.Float("sigma") != 3 {
		t.Errorf("blur(4,3) has sigma %v", c.Float("sigma"))
	}
	if c := one("proportion(0.5)"); c.Float("percent") != 50 {
		t.Errorf("proportion(0.5) is %v percent", c.Float("percent"))
	}
	if c := one("padding(red,1,2)"); c.Int("left") != 1 || c.Int("top") != 2 || c.Int("right") != 1 ||
		c.Int("bottom") != 2 {
		t.Errorf("padding %+v", c)
	}
	if c := one("round_corner(7)"); c.Float("rx") != 7 || c.Float("ry") != 7 || c.Arg("color").Colour.Word != "none" {
		t.Errorf("round_corner %+v", c)
	}
	if c := one("fill(blur)"); c.Arg("color").Colour.Word != "blur" {
		t.Errorf("fill %+v", c)
	}
	if c := one("fill_color(#f00)"); c.Name != "fill" || c.Arg("color").Colour != (Colour{R: 255, A: 255}) {
		t.Errorf("fill_color %+v", c)
	}
	if r := one("focal(0.1x0.2:0.5x0.6)").Arg("region").
		Region; r != (Region{Left: .1, Top: .2, Right: .5, Bottom: .6, Fraction: true}) {
		t.Errorf("focal %+v", r)
	}
	if r := one("focal(100,200)").Arg("region").Region; r != (Region{Left: 100, Top: 200, Right: 100, Bottom: 200, Point: true}) {
		t.Errorf("focal %+v", r)
	}
	c := one("image(/10x10/a,left-20,20p,30,multiply)")
	if x, y := c.Arg("x").Position, c.Arg("y").Position; x != (Position{Unit: UnitStart, Offset: 20}) ||
		y != (Position{Unit: UnitFraction, Number: .2}) ||
		c.Text("blend") != "multiply" {
		t.Errorf("image %+v", c)
	}
	if c := one("text(b64:YSxiKQ,1,2)"); c.Text("text") != "a,b)" || c.Text("align") != "low" {
		t.Errorf("text %+v", c)
	}
}

func TestCallsWarn(t *testing.T) {
	for _, c := range []struct {
		filter Filters
		kept   bool
	}{
		{"nope(1)", false}, {"blur()", false}, {"blur(x)", false}, {"blur(NaN)", false}, {"blur(0x10)", false},
		{"blur(1e3)", false},
		{"brightness(101)", true}, {"quality(0)", true}, {"quality(1.5)", false}, {"grayscale(1)", true},
		{"rotate(45)", false},
		{"background_color(nope)", false}, {"background_color(blur)", false}, {"focal(5)", false},
		{"focal(3x3:1x1)", false},
		{"image(a,0,0,0,nope)", true}, {"image(a,top)", false}, {"to_colorspace(xyz)", false},
		{"compression(10)", true},
	} {
		calls, warnings, err := c.filter.Calls(false)
		if err != nil || (len(calls) == 1) != c.kept || len(warnings) == 0 {
			t.Errorf("%s: calls %v, warnings %v, %v", c.filter, calls, warnings, err)
		}
		if _, _, err := c.filter.Calls(true); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s strict: %v", c.filter, err)
		}
	}
	for _, f := range []Filters{"blurhash(0,3)", "blurhash(10,3)", "blurhash(3)", "thumbhash(1)", "avgcolor(red)"} {
		if _, _, err := f.Calls(false); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("metadata filter %s: %v, expected an error without strict mode", f, err)
		}
	}
}

func TestSniffFormat(t *testing.T) {
	for header, want := range map[string]Format{
		"\xFF\xD8\xFF\xE0": JPEG, "\x89PNG\r\n\x1A\n": PNG, "GIF89a": GIF, "RIFF\x00\x00\x00\x00WEBPVP8 ": WebP,
		"II*\x00":                      TIFF,
		"\x00\x00\x00\x1CftypavifAAAA": AVIF, "\x00\x00\x00\x1Cftypmif1\x00\x00\x00\x00mif1heic": HEIF, "\xFF\x0A": JXL,
		"<?xml version='1.0'?>\n<!-- a --><svg xmlns=": SVG, "\xEF\xBB\xBF <svg>": SVG, "<html><svg>": "",
		"%PDF-1.7": PDF, "": "", "#!/bin/sh": "",
	} {
		if got := SniffFormat([]byte(header)); got != want {
			t.Errorf("SniffFormat(%q) = %q, want %q", header, got, want)
		}
	}
}

func TestOutputFormat(t *testing.T) {
	writable := []Format{JPEG, PNG, WebP}
	for _, c := range []struct {
		filters Filters
		source  Format
		auto    []Format
		shown   []Format
		want    Format
		code    fault.Code
	}{
		{"", JPEG, nil, nil, JPEG, ""}, {"", SVG, nil, nil, "", ""}, {"format(jpg)", PNG, nil, nil, JPEG, ""},
		{"format(webp):autojpg()", PNG, nil, nil, JPEG, ""},
		{"", JPEG, []Format{AVIF, WebP}, nil, WebP, ""}, {"format(png)", JPEG, []Format{WebP}, nil, PNG, ""},
		{"", WebP, nil, nil, WebP, ""}, {"", WebP, nil, []Format{WebP}, WebP, ""},
		{"", WebP, nil, []Format{AVIF}, "", ""}, {"", PNG, nil, []Format{}, PNG, ""},
		{"format(auto)", WebP, nil, []Format{}, "", ""}, {"format(webp)", JPEG, nil, []Format{}, WebP, ""},
		{"format(avif)", JPEG, nil, nil, "", fault.UnsupportedFormat},
		{"format(doc)", JPEG, nil, nil, "", fault.UnsupportedFormat},
	} {
		calls, _, err := c.filters.Calls(true)
		if err != nil {
			t.Fatal(err)
		}
		got, err := OutputFormat(calls, c.source, Options{AutoFormat: c.auto, Shown: c.shown}, writable)
		if got != c.want || fault.CodeOf(err) != c.code {
			t.Errorf("%+v: got %q, %v", c, got, err)
		}
	}
}
