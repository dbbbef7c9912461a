package imaging

import (
	"slices"
	"strings"
	"testing"
)

// TestRoute holds the table of routes: what decides, and on which side of each bound.
func TestRoute(t *testing.T) {
	jpeg := Header{Format: JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Depth: 8}
	with := func(h Header, change func(*Header)) Header {
		change(&h)
		return h
	}
	png := with(jpeg, func(h *Header) { h.Format = PNG })
	webp := with(jpeg, func(h *Header) { h.Format = WebP })
	gray := func(h *Header) { h.Bands = 1 }
	alpha := func(h *Header) { h.Bands, h.Alpha = 4, true }
	whole := func(h *Header) { h.Whole = true }
	profile := func(h *Header) { h.Profile = true }
	size := func(width, height int) func(*Header) {
		return func(h *Header) { h.Width, h.Height = width, height }
	}
	for _, c := range []struct {
		name   string
		header Header
		path   string
		want   string // decode, scale, filter, encode
	}{
		{"a photograph", jpeg, "300x", "pixels, while decoding, none, pixels"},
		{"a large one", with(jpeg, size(12000, 9000)), "1600x", "pixels, while decoding, none, pixels"},
		{"as large", jpeg, "", "pixels, none, none, libvips"},
		{"as large, small", with(jpeg, size(800, 600)), "", "pixels, none, none, pixels"},
		{"progressive", with(jpeg, whole), "300x", "pixels, while decoding, none, pixels"},
		{"gray", with(jpeg, gray), "300x", "pixels, down, none, pixels"},
		{"of two components", with(jpeg, func(h *Header) { h.Bands = 2 }), "300x", "libvips, down, none, pixels"},
		{"of five components", with(jpeg, func(h *Header) { h.Bands = 5 }), "300x", "libvips, down, none, pixels"},
		{"with a profile", with(jpeg, profile), "300x", "pixels, down, libvips, pixels"},
		{"turned", with(jpeg, func(h *Header) { h.Orientation = 6 }), "300x", "pixels, down, libvips, pixels"},
		{"cropped", jpeg, "9x9:2000x2000/300x", "pixels, down, none, pixels"},
		{"for an editor", jpeg, "300x/filters:preview()", "pixels, down, none, pixels"},
		{"linear", jpeg, "300x/filters:speed(best)", "pixels, while decoding, none, pixels"},
		{"enlarged", with(jpeg, size(80, 60)), "300x", "pixels, up, none, pixels"},
		{"a large result", with(jpeg, size(12000, 9000)), "6000x", "pixels, down, none, libvips"},
		{"filtered", jpeg, "300x/filters:blur(2)", "pixels, while decoding, libvips, pixels"},
		{"a filter of nothing", jpeg, "300x/filters:rotate(0)", "pixels, while decoding, none, pixels"},
		{"another space", jpeg, "300x/filters:to_colorspace(p3)", "pixels, while decoding, libvips, libvips"},
		{"AVIF", jpeg, "300x/filters:format(avif)", "pixels, while decoding, none, libvips"},
		{"a PNG", png, "300x", "pixels, down, none, pixels"},
		{"a PNG with alpha", with(png, alpha), "300x", "pixels, down, none, pixels"},
		{"a large PNG", with(png, size(5000, 5000)), "300x", "libvips, down, none, pixels"},
		{"a PNG with a palette", png, "300x/filters:palette()", "pixels, down, none, libvips"},
		{"2.2 MB", png, "900x800", "pixels, down, none, pixels"},
		{"2.2 MB at level 8", png, "900x800/filters:compression(8)", "pixels, down, none, pixels"},
		{"2.2 MB at level 9", png, "900x800/filters:compression(9)", "pixels, down, none, libvips"},
		{"a WebP", webp, "300x", "pixels, while decoding, none, pixels"},
		{"a large WebP", with(webp, size(9000, 9000)), "300x", "pixels, while decoding, none, pixels"},
		{"a WebP in linear light", webp, "300x/filters:speed(best)", "pixels, down, none, pixels"},
		{"half a WebP", webp, "2000x", "pixels, down, none, pixels"},
		{"a WebP with alpha", with(webp, alpha), "300x", "pixels, down, none, pixels"},
		{"an animation", with(webp, func(h *Header) { h.Pages = 9 }), "300x", "libvips, down, none, libvips"},
		{"TIFF", with(jpeg, func(h *Header) { h.Format = TIFF }), "300x/filters:format(jpeg)",
			"libvips, down, none, pixels"},
		{"a canvas", Header{Canvas: true, Pages: 1, Bands: 3}, "300x200/filters:format(jpeg)",
			"none, none, none, pixels"},
		{"metadata that is kept", jpeg, "300x/filters:keep_metadata()", "pixels, while decoding, none, libvips"},
		{"all but EXIF data", jpeg, "300x/filters:keep_metadata():strip_exif()",
			"pixels, while decoding, none, pixels"},
		{"the file itself", jpeg, "300x/filters:raw()", "none, none, none, none"},
		{"no file", Header{Canvas: true, Pages: 1, Bands: 3}, "300x200/filters:raw():format(jpeg)",
			"none, none, none, pixels"},
		{"a description", jpeg, "meta/300x", "none, none, none, none"},
		{"a description of pixels", jpeg, "meta/300x/filters:avgcolor()", "pixels, down, none, none"},
	} {
		r, err := Parse("unsafe/" + c.path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(c.header, r.Operations, Limits{Options: Options{Linear: strings.Contains(c.path, "best")}},
			PlanOptions{Writable: []Format{JPEG, PNG, WebP, AVIF}, Describe: r.Meta})
		if err != nil {
			t.Fatal(err)
		}
		words := strings.NewReplacer("server, ", "", "decode: ", "", "scale: ", "", "filter: ", "", "encode: ", "")
		if got := words.Replace(p.Route.String()); got != c.want {
			t.Errorf("%s: %s, expected %s", c.name, got, c.want)
		}
	}
	if got := (Route{Decode: 200}).String(); !strings.Contains(got, "decode: unknown") {
		t.Errorf("a library that there is not: %s", got)
	}
}

// TestIsolation holds which work is done in a worker.
func TestIsolation(t *testing.T) {
	jpeg, svg := Header{Format: JPEG, Width: 9, Height: 9}, Header{Format: SVG}
	for _, c := range []struct {
		isolation Isolation
		header    Header
		layer     Header
		filters   Filters
		want      bool
	}{
		{IsolateNone, svg, svg, "", false},
		{"", svg, svg, "", false},
		{IsolateAll, jpeg, jpeg, "", true},
		{IsolateRisky, jpeg, jpeg, "", false},
		{IsolateRisky, svg, jpeg, "", true},
		{IsolateRisky, jpeg, svg, "", true},
		{IsolateRisky, Header{}, jpeg, "", true},
		{IsolateRisky, Header{Canvas: true}, jpeg, "", false},
		{IsolateRisky, Header{Format: PNG, Width: 9, Height: 1 << 16}, jpeg, "", true},
		{IsolateRisky, jpeg, jpeg, Filters(strings.Repeat("blur(1):", 16)), false},
		{IsolateRisky, jpeg, jpeg, Filters(strings.Repeat("blur(1):", 17)), true},
	} {
		layers := slices.Values([]Header{c.layer})
		if got := c.isolation.IsolatesAny(c.header, layers, c.filters); got != c.want {
			t.Errorf("%s of %s with %s over it and %d filters: %v, expected %v",
				c.isolation, c.header.Format, c.layer.Format, countCalls(c.filters), got, c.want)
		}
	}
}
