package hostile

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// svgOf returns an SVG of 900 x 900 with the given content.
func svgOf(inside string) []byte {
	return svgSized(`width="900" height="900" viewBox="0 0 900 900"`, inside)
}

func svgSized(size, inside string) []byte {
	const names = `xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"`
	return []byte(`<svg ` + names + ` ` + size + `>` + inside + `</svg>`)
}

// powers returns nested groups of the given depth, each of which uses the one below it n times. open and use are the
// formats of a group's start and of a use, shut is the end of a group.
func powers(depth, n int, open, shut, use string) string {
	var b strings.Builder
	b.WriteString(`<defs><rect id="u0" width="90" height="90"/>`)
	for level := range depth {
		fmt.Fprintf(&b, open, level+1)
		for range n {
			fmt.Fprintf(&b, use, level)
		}
		b.WriteString(shut)
	}
	fmt.Fprintf(&b, `</defs><use xlink:href="#u%d"/>`, depth)
	return b.String()
}

func svgFiles(c *corpus, _ Seeds) {
	add := func(class, name, inside string) {
		c.add("svg "+class, "svg "+name, "svg", func() []byte { return svgOf(inside) })
	}
	svgFilters(add)
	for _, d := range [][2]int{{3, 10}, {5, 10}, {9, 10}, {25, 2}, {60, 2}} {
		add("powers", fmt.Sprintf("use %v", d), powers(d[0], d[1], `<g id="u%d">`, `</g>`, `<use xlink:href="#u%d"/>`))
		for _, kind := range []struct{ name, open, shut, use string }{
			{"mask", `<mask id="u%d">`, `</mask>`, `<rect width="900" height="900" mask="url(#u%d)"/>`},
			{
				"pattern", `<pattern id="u%d" width="9" height="9" patternUnits="userSpaceOnUse">`, `</pattern>`,
				`<rect width="900" height="900" fill="url(#u%d)"/>`,
			},
			{
				"clip", `<clipPath id="u%d">`, `</clipPath>`,
				`<rect width="900" height="900" clip-path="url(#u%d)"/>`,
			},
			{
				"marker", `<marker id="u%d" markerWidth="9" markerHeight="9">`, `</marker>`,
				`<path d="M0 0h9h9h9h9" marker-mid="url(#u%d)"/>`,
			},
		} {
			levels := powers(d[0], d[1], kind.open, kind.shut, kind.use)
			add("powers", fmt.Sprintf("%s %v", kind.name, d), levels+fmt.Sprintf(kind.use, d[0]))
		}
	}
	add("circles", "use itself", `<g id="a"><use xlink:href="#a"/></g>`)
	add(
		"circles", "pattern of itself",
		`<pattern id="a" width="9" height="9" patternUnits="userSpaceOnUse"><rect width="9" height="9" fill="url(#a)"/></pattern><rect width="900" height="900" fill="url(#a)"/>`,
	)
	add(
		"circles", "mask of itself",
		`<mask id="a"><rect width="9" height="9" mask="url(#a)"/></mask><rect width="900" height="900" mask="url(#a)"/>`,
	)
	add(
		"circles", "gradients in a circle",
		`<linearGradient id="a" xlink:href="#b"/><linearGradient id="b" xlink:href="#a"/><rect width="900" height="900" fill="url(#a)"/>`,
	)
	add(
		"circles", "a tiny pattern on a large area",
		`<pattern id="a" width="0.0001" height="0.0001" patternUnits="userSpaceOnUse"><circle r="1"/></pattern><rect width="900" height="900" fill="url(#a)"/>`,
	)
	for _, n := range []int{1_000, 30_000, 300_000} {
		add("deep", fmt.Sprintf("%d groups deep", n), strings.Repeat("<g>", n)+strings.Repeat("</g>", n))
		add(
			"deep", fmt.Sprintf("%d filtered groups", n/100),
			strings.Repeat(`<g opacity="0.9">`, n/100)+`<rect width="900" height="900"/>`+strings.Repeat("</g>", n/100),
		)
		curves := strings.Repeat("C 1 900 900 1 450 450 ", n)
		add(
			"paths", fmt.Sprintf("path of %d curves", n),
			`<path d="M0 0 `+curves+`" stroke="red" stroke-width="40" stroke-dasharray="0.1 0.1" fill="none"/>`,
		)
		add(
			"paths", fmt.Sprintf("%d rectangles", n),
			strings.Repeat(`<rect width="900" height="900" opacity=".1"/>`, n),
		)
		add(
			"paths", fmt.Sprintf("%d styles", n),
			`<style>`+strings.Repeat(`g g g > rect:first-child * { fill: red } `, n/10)+`</style>`+
				strings.Repeat("<g>", 200)+strings.Repeat("<rect/>", n/10)+strings.Repeat("</g>", 200),
		)
	}
	add(
		"paths", "dashes without end",
		`<path d="M0 0 H 1e9" stroke="red" stroke-width="9" stroke-dasharray="0.0001 0.0001"/>`,
	)
	add(
		"paths", "coordinates beyond floats",
		`<path d="M1e308 1e308 L -1e308 1e400 Z" stroke="red" stroke-width="1e308"/><circle r="1e300"/>`,
	)
	add("attributes", "100000 of an element", func() string {
		var b strings.Builder
		for n := range 100_000 {
			fmt.Fprintf(&b, ` a%d=""`, n)
		}
		return "<rect" + b.String() + "/>"
	}())
	add("paths", "numbers of a megabyte", `<rect width="`+strings.Repeat("9", 1<<20)+`" height="1"/>`)
	for _, size := range []string{`width="1e9" height="1e9"`, `width="1" height="10000000"`, `viewBox="0 0 1e-9 1e-9"`,
		`width="999999" height="999999"`, `width="NaN" height="-5"`, `width="100%" height="100%"`,
		`width="1e6mm" height="1e6in"`, ``, `viewBox="0 0 1e308 1e308" width="9" height="9"`} {
		c.add("svg size", "svg "+size, "svg", func() []byte { return svgSized(size, `<rect width="9" height="9"/>`) })
	}
	svgPictures(c)
}

// svgPictures adds pictures inside of SVGs, and references to other files and hosts.
func svgPictures(c *corpus) {
	uri := func(kind string, data []byte) string {
		return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
	}
	add := func(name string, inside func() string) {
		c.add("svg pictures", "svg "+name, "svg", func() []byte { return svgOf(inside()) })
	}
	image := func(href string) string { return `<image width="900" height="900" xlink:href="` + href + `"/>` }
	for _, side := range []int{5_000, 10_000, 20_000} {
		add(fmt.Sprintf("png bomb of %d", side), func() string { return image(uri("png", pngBomb(side, side))) })
		add(
			fmt.Sprintf("3 png bombs of %d", side),
			func() string { return strings.Repeat(image(uri("png", pngBomb(side, side))), 3) },
		)
	}
	add("jpeg of many scans", func() string { return image(uri("jpeg", manyScans(4_000, 4_000, 500))) })
	add("gif flood", func() string {
		return image(uri("gif", gifOf(2_000, 2_000, gifFrame(0, 0, 2_000, 2_000, 0, 2, lzwZeros(3_000)))))
	})
	add("svg in svg in svg", func() string {
		inner := svgOf(`<rect width="900" height="900"/>`)
		for range 8 {
			inner = svgOf(image(uri("svg+xml", inner)))
		}
		return image(uri("svg+xml", inner))
	})
	for _, href := range []string{"file:///etc/passwd", "http://127.0.0.1:1/a.png", "https://example.com/a.png",
		"/etc/passwd", "../../etc/passwd", "//example.com/a", "data:image/png;base64,", "data:text/html,<script>",
		"ftp://127.0.0.1/", "javascript:alert(1)", "jar:file:///x!/y", "#"} {
		add("refers to "+href, func() string { return image(href) })
	}
	add("style that imports", func() string {
		return `<style>@import url(file:///etc/passwd); @font-face { font-family: x; src: url(http://127.0.0.1:1/x) }</style><text font-family="x">a</text>`
	})
	add("script and foreign object", func() string {
		return `<script>while(1){}</script><foreignObject width="9" height="9"><iframe src="http://127.0.0.1:1/"/></foreignObject>`
	})
	add("include", func() string {
		return `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>`
	})
	thousand := func(text string) string { return `"` + strings.Repeat(text, 1000) + `"` }
	for name, head := range [][2]string{
		{"laughs", `<!ENTITY a ` + thousand("a") + `><!ENTITY b ` + thousand("&a;") + `><!ENTITY c ` + thousand("&b;") + `>`},
		{"external entity", `<!ENTITY c SYSTEM "file:///etc/passwd">`},
		{"parameter entity", `<!ENTITY % p SYSTEM "http://127.0.0.1:1/x.dtd"> %p;`},
	} {
		c.add("svg entities", fmt.Sprintf("svg %d %s", name, head[0]), "svg", func() []byte {
			return append(
				[]byte(`<?xml version="1.0"?><!DOCTYPE svg [`+head[1]+`]>`),
				svgOf(`<text y="50">&c;</text>`)...)
		})
	}
	c.add("svg entities", "svg gzip bomb", "svg", func() []byte { return zipped(svgOf(strings.Repeat(" ", 200<<20))) })
	c.add(
		"svg entities", "svg gzip bomb by its name", "svgz",
		func() []byte { return zipped(svgOf(strings.Repeat("<g/>", 20<<20))) },
	)
}

// svgFilters adds filter effects with large areas or kernels.
func svgFilters(add func(class, name, inside string)) {
	filter := func(attributes, inside string) string {
		return `<filter id="f" ` + attributes + `>` + inside +
			`</filter><rect width="900" height="900" filter="url(#f)"/>`
	}
	for _, order := range []int{20, 60, 200} {
		kernel := strings.Repeat("1 ", order*order)
		effect := fmt.Sprintf(`<feConvolveMatrix order="%d" kernelMatrix="%s"/>`, order, kernel)
		add("filters", fmt.Sprintf("convolve %d", order), filter("", effect))
	}
	add("filters", "convolve of one order", filter("", `<feConvolveMatrix order="1000000 1" kernelMatrix="1"/>`))
	for _, v := range []string{"1000", "1e9", "1e38", "-5", "NaN"} {
		add("filters", "blur "+v, filter("", `<feGaussianBlur stdDeviation="`+v+`"/>`))
		add("filters", "morphology "+v, filter("", `<feMorphology operator="dilate" radius="`+v+`"/>`))
		add("filters", "offset "+v, filter("", `<feOffset dx="`+v+`" dy="`+v+`"/><feTile/>`))
		add("filters", "turbulence "+v, filter("", `<feTurbulence baseFrequency="0.9" numOctaves="`+v+`"/>`))
		region := `x="-` + strings.TrimPrefix(v, "-") + `" y="0" width="` + v + `" height="` + v + `"`
		add("filters", "region "+v, filter(region+` filterUnits="userSpaceOnUse"`, `<feFlood/>`))
	}
	add("filters", "1000 blurs", filter("", strings.Repeat(`<feGaussianBlur stdDeviation="30"/>`, 1_000)))
	const light = `<feDiffuseLighting surfaceScale="9"><fePointLight x="1" y="1" z="9"/></feDiffuseLighting>`
	add("filters", "1000 lights", filter("", strings.Repeat(light, 1_000)))
	add(
		"filters", "merge of 10000",
		filter("", `<feMerge>`+strings.Repeat(`<feMergeNode in="SourceGraphic"/>`, 10_000)+`</feMerge>`),
	)
	add("filters", "displacement", filter("", `<feDisplacementMap in2="SourceGraphic" scale="1e9"/>`))
	table := `<feFuncR type="table" tableValues="` + strings.Repeat("1 ", 200_000) + `"/>`
	add("filters", "table of 200000", filter("", `<feComponentTransfer>`+table+`</feComponentTransfer>`))
	add(
		"filters", "filters in each other",
		`<filter id="f"><feGaussianBlur stdDeviation="50"/></filter>`+strings.Repeat(`<g filter="url(#f)">`, 200)+
			`<rect width="900" height="900"/>`+strings.Repeat(`</g>`, 200),
	)
}

// svgText adds texts that are hard to lay out.
func svgText(c *corpus, _ Seeds) {
	add := func(name, attributes, text string) {
		c.add(
			"svg text", "svg "+name, "svg",
			func() []byte { return svgOf(`<text y="50" ` + attributes + `>` + text + `</text>`) },
		)
	}
	for _, size := range []string{"1e9", "1e38", "100000", "0", "-9", "1e-9", "2000000px", "1e6em", "1e9%"} {
		add("font size "+size, `font-size="`+size+`"`, "Text")
	}
	for _, n := range []int{1_000, 10_000, 100_000} {
		add(fmt.Sprintf("%d combining characters", n), "", "a"+strings.Repeat("\u0301", n))
		add(fmt.Sprintf("%d joiners", n), "", strings.Repeat("\u200d\u0644", n))
		add(fmt.Sprintf("%d directions", n), "", strings.Repeat("\u202ea\u202db", n))
		add(fmt.Sprintf("%d letters", n), `font-size="200"`, strings.Repeat("W", n))
		add(fmt.Sprintf("%d spans", n), "", strings.Repeat(`<tspan dx="1" rotate="9">x</tspan>`, n))
		add(
			fmt.Sprintf("%d emoji", n), `font-size="500"`,
			strings.Repeat("\U0001F468\u200d\U0001F469\u200d\U0001F467", n/10),
		)
	}
	add("stroke", `font-size="800" stroke="red" stroke-width="1e9" stroke-dasharray="0.01"`, "Text")
	add("spacing", `letter-spacing="1e38" word-spacing="-1e38" textLength="1e38"`, "Some text")
	add("family of a megabyte", `font-family="`+strings.Repeat("x,", 500_000)+`"`, "Text")
	add("10000 families", `font-family="`+strings.Repeat("a b c d,", 10_000)+`"`, "Text")
	add("zalgo", `font-size="40"`, strings.Repeat("e"+strings.Repeat("\u0300\u0316\u0489", 200), 200))
}
