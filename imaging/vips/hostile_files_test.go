package vips

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	stdimage "image"
	"image/color"
	"image/gif"
	"math/bits"
	"strings"
	"testing"

	"github.com/h2non/bimg"
)

// zipped is n zero bytes, compressed.
func zipped(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	block := make([]byte, 1<<20)
	for ; n > 0; n -= len(block) {
		if _, err := z.Write(block[:min(n, len(block))]); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.Bytes()
}

// patched replaces what follows a mark, n bytes later; the mark has to be there.
func patched(t *testing.T, data []byte, mark string, after int, value []byte) []byte {
	t.Helper()
	at := bytes.Index(data, []byte(mark))
	if at < 0 || at+len(mark)+after+len(value) > len(data) {
		t.Fatalf("no %q in a picture of %d bytes", mark, len(data))
	}
	out := bytes.Clone(data)
	copy(out[at+len(mark)+after:], value)
	return out
}

func sides16(width, height uint16) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, height), width)
}

func sides32(width, height uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
}

// manyScans is a progressive grey JPEG that goes over all of its blocks again in every one of its scans.
func manyScans(width, height uint16, scans int) []byte {
	table := append([]byte{0xFF, 0xDB, 0, 67, 0}, bytes.Repeat([]byte{1}, 64)...)
	b := append([]byte{0xFF, 0xD8}, table...)
	b = append(append(b, 0xFF, 0xC2, 0, 11, 8), sides16(width, height)...)
	b = append(b, 1, 1, 0x11, 0)
	for _, class := range []byte{0x00, 0x10} { // a code of one bit for zero
		b = append(append(b, 0xFF, 0xC4, 0, 20, class, 1), make([]byte, 16)...)
	}
	b = append(b, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0, 0)
	for range scans {
		b = append(b, 0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0, 0)
	}
	return append(b, 0xFF, 0xD9)
}

// jxlOf is the start of a JPEG XL codestream of a square of that side.
func jxlOf(side uint32) []byte {
	// not small, 30 bits, ratio 1:1, all default
	word := uint64(3)<<1 | uint64(side-1)<<3 | uint64(1)<<33 | uint64(1)<<36
	return append(binary.LittleEndian.AppendUint64([]byte{0xFF, 0x0A}, word), make([]byte, 64)...)
}

// frameBomb is a GIF of many frames of a pixel on a canvas of that side.
func frameBomb(t *testing.T, side, frames int) []byte {
	t.Helper()
	g := &gif.GIF{Config: stdimage.Config{Width: side, Height: side}}
	for range frames {
		g.Image = append(
			g.Image,
			stdimage.NewPaletted(stdimage.Rect(0, 0, 1, 1), color.Palette{color.Black, color.White}),
		)
		g.Delay = append(g.Delay, 1)
	}
	return gifBytes(t, g)
}

// tiffLying claims a size and strips that are not there.
func tiffLying(width, height uint32) []byte {
	page := tiffOf(flat(4, 4, color.NRGBA{1, 2, 3, 255}))
	le := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	for tag, v := range map[uint16]uint32{256: width, 257: height, 278: height, 279: 0xFFFFFFF0} {
		entry := append(binary.LittleEndian.AppendUint16(nil, tag), 4, 0, 1, 0, 0, 0)
		at := bytes.Index(page, entry)
		copy(page[at+len(entry):], le(v))
	}
	return page
}

// tiffOfStrip is a TIFF of 4 x 4 gray pixels whose one strip is that data, compressed by zlib.
func tiffOfStrip(t *testing.T, data []byte) []byte {
	t.Helper()
	const entries, start = 9, 8 + 2 + 9*12 + 4
	le := binary.LittleEndian
	b := le.AppendUint16(append([]byte("II*\x00"), 8, 0, 0, 0), entries)
	for _, entry := range [entries][2]uint32{{256, 4}, {257, 4}, {258, 8}, {259, 8}, {262, 1}, {273, start}, {277, 1},
		{278, 4}, {279, uint32(len(data))}} {
		b = le.AppendUint16(le.AppendUint16(b, uint16(entry[0])), 4)
		b = le.AppendUint32(le.AppendUint32(b, 1), entry[1])
	}
	return append(le.AppendUint32(b, 0), data...)
}

// tiffOfPages is a TIFF of many directories, each of which points to the next.
func tiffOfPages(n int) []byte {
	one := flat(1, 1, color.NRGBA{9, 9, 9, 255})
	pages := make([]*stdimage.NRGBA, n)
	for i := range pages {
		pages[i] = one
	}
	return tiffOf(pages...)
}

func svgOf(inside string) []byte {
	return []byte(
		`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="900" height="900" viewBox="0 0 900 900">` + inside + `</svg>`,
	)
}

// useBomb draws 10 to the power of depth rectangles.
func useBomb(depth int) []byte {
	var b strings.Builder
	b.WriteString(`<defs><rect id="u0" width="9" height="9"/>`)
	for n := range depth {
		id := func(n int) string { return "u" + string(rune('0'+n)) }
		b.WriteString(`<g id="` + id(n+1) + `">` + strings.Repeat(`<use xlink:href="#`+id(n)+`"/>`, 10) + `</g>`)
	}
	b.WriteString(`</defs><use xlink:href="#u` + string(rune('0'+depth)) + `"/>`)
	return svgOf(b.String())
}

type hostileFile struct {
	name  string
	data  []byte
	codes string // that are right, with spaces; an empty one, which is a picture, is "ok"
	whole bool   // a picture just within the limits, all pixels of which a trim has to hold and to look at
}

// hostileFiles are bombs, lies, thin pictures and files that are two things at once.
func hostileFiles(t *testing.T, e *Engine) []hostileFile {
	const refused = "CORRUPT_IMAGE UNSUPPORTED_TYPE TOO_LARGE INVALID"
	photo, clear := jpegOf(t, gradient(64, 48, false)), pngOf(t, gradient(64, 48, true))
	as := func(format string) []byte { return processed(e, "filters:format("+format+")", clear, t).Data }
	huge := uint32(bits.Len(0)) + 60_000
	gigabyte := zipped(t, 1<<30)
	ihdr := func(chunks ...[]byte) []byte {
		head := append(sides32(64, 48), 8, 6, 0, 0, 0)
		list := append([][]byte{[]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", head)}, chunks...)
		return bytes.Join(append(list, clear[33:]), nil)
	}
	files := []hostileFile{
		{"jpeg of 65,000 x 65,000", patched(t, photo, "\xff\xc0", 3, sides16(65_000, 65_000)), "TOO_LARGE", false},
		{
			"jpeg that lies within the limit",
			patched(t, photo, "\xff\xc0", 3, sides16(9_999, 9_999)),
			"ok " + refused,
			true,
		},
		{"jpeg of no height", patched(t, photo, "\xff\xc0", 3, sides16(64, 0)), refused, false},
		{"jpeg of 2,000 scans", manyScans(3_000, 3_000, 2_000), "ok " + refused, false},
		{"jpeg, half", photo[:len(photo)/2], "ok " + refused, false},
		{"png of 30,000 x 30,000", realBomb(t, 30_000), "TOO_LARGE", false},
		{"png of 9,900 x 9,900", realBomb(t, 9_900), "ok", true},
		{
			"png with 1 GB of text",
			ihdr(pngChunk("zTXt", append([]byte("a\x00\x00"), gigabyte...))),
			"ok " + refused,
			false,
		},
		{
			"png with 1 GB of profile",
			ihdr(pngChunk("iCCP", append([]byte("a\x00\x00"), gigabyte...))),
			"ok " + refused,
			false,
		},
		{"png with 1 GB of pixels for 64 x 48", ihdr(pngChunk("IDAT", gigabyte)), "TOO_LARGE", false},
		{"tiff with a strip of 1 GB for 4 x 4", tiffOfStrip(t, gigabyte), "ok " + refused, false},
		{
			"png of 16,000 x 1",
			pngOf(t, flat(16_000, 1, base)),
			"ok",
			false,
		}, {"png of 1 x 16,000", pngOf(t, flat(1, 16_000, base)), "ok", false},
		{
			"jpeg of 16,000 x 1",
			jpegOf(t, flat(16_000, 1, base)),
			"ok",
			false,
		}, {"jpeg of 1 x 16,000", jpegOf(t, flat(1, 16_000, base)), "ok", false},
		{
			"gif of 65,535 x 65,535",
			frameBomb(t, 65_535, 1),
			"ok TOO_LARGE",
			false,
		}, {"gif of 5,000 frames", frameBomb(t, 4, 5_000), "ok TOO_LARGE", false},
		{
			"gif of 900 large frames",
			frameBomb(t, 2_000, 900),
			"ok TOO_LARGE",
			false,
		}, {"gif of 90 frames", frameBomb(t, 1_000, 90), "ok " + refused, false},
		// later ones hold its pixels
		{
			"tiff of 60,000 x 60,000",
			tiffLying(huge, huge),
			refused,
			false,
		}, {"tiff that lies within the limit", tiffLying(9_000, 9_000), "ok " + refused, bimg.VipsMinorVersion > 16},
		{
			"tiff of 20,000 pages",
			tiffOfPages(20_000),
			"ok " + refused,
			false,
		}, {"jxl of 60,000 x 60,000", jxlOf(huge), refused, false},
		{"jxl of 9,000 x 9,000", jxlOf(9_000), refused, false},
		{
			"svg of 10^9 uses",
			useBomb(9),
			refused,
			false,
		}, {"svg of a use of itself", svgOf(`<g id="a"><use xlink:href="#a"/></g>`), "ok " + refused, false},
		{
			"svg of wide blurs",
			svgOf(
				`<filter id="f"><feGaussianBlur stdDeviation="9000"/></filter><rect width="900" height="900" filter="url(#f)"/>`,
			),
			"ok " + refused,
			false,
		},
		{
			"svg of many filters",
			svgOf(
				`<filter id="f">` + strings.Repeat(`<feTurbulence baseFrequency=".01" numOctaves="9"/>`, 40) +
					`</filter><rect width="900" height="900" filter="url(#f)"/>`,
			),
			"ok " + refused,
			false,
		},
		{
			"svg of fine tiles",
			svgOf(
				`<pattern id="p" width=".001" height=".001" patternUnits="userSpaceOnUse"><rect width="1" height="1"/></pattern><rect width="900" height="900" fill="url(#p)"/>`,
			),
			"ok " + refused,
			false,
		},
		{
			"gif and script",
			append([]byte("GIF89a/*"), "*/=1;alert(1)//"...),
			refused,
			false,
		}, {"png and zip", append(bytes.Clone(clear), "PK\x03\x04\x14\x00\x00\x00"...), "ok", false},
		{
			"pdf in a jpeg",
			append([]byte("\xff\xd8\xff\xe0\x00\x10"), document()...),
			refused,
			false,
		}, {"jpeg in a pdf", append(document(), photo...), "UNSUPPORTED_TYPE", false},
		{
			"mvg",
			[]byte(
				"push graphic-context\nviewbox 0 0 640 480\nfill 'url(https://127.0.0.1/x\"|ls \"-la)'\npop " +
					"graphic-context",
			),
			"UNSUPPORTED_TYPE",
			false,
		},
		{
			"msl",
			[]byte(`<?xml version="1.0"?><image><read filename="/etc/passwd"/><write filename="/tmp/x"/></image>`),
			"UNSUPPORTED_TYPE",
			false,
		},
		{
			"postscript",
			[]byte("%!PS-Adobe-3.0 EPSF-3.0\n(/etc/passwd) (r) file"),
			"UNSUPPORTED_TYPE",
			false,
		}, {"caption", []byte("caption:@/etc/passwd"), "UNSUPPORTED_TYPE", false},
		{
			"fits",
			[]byte("SIMPLE  =                    T / fits"),
			"UNSUPPORTED_TYPE",
			false,
		}, {"openexr", []byte("\x76\x2f\x31\x01\x02\x00\x00\x00"), "UNSUPPORTED_TYPE", false},
		{"ico", []byte("\x00\x00\x01\x00\x01\x00"), "UNSUPPORTED_TYPE", false},
	}
	for _, format := range []string{"webp", "avif", "tiff", "jxl", "jp2"} {
		files = append(files, hostileFile{format + ", half", as(format)[:len(as(format))/2], "ok " + refused, false})
	}
	vp8l := processed(e, "filters:format(webp):lossless()", photo, t).Data
	files = append(
		files,
		hostileFile{
			"webp of 16,384 x 16,384",
			patched(t, vp8l, "VP8L", 5, []byte{0xFF, 0xFF, 0xFF, 0x0F}),
			refused,
			false,
		},
		hostileFile{
			"webp that lies within the limit",
			patched(t, vp8l, "VP8L", 5, binary.LittleEndian.AppendUint32(nil, 9_000|9_000<<14)),
			refused,
			false,
		},
		hostileFile{"avif of 60,000 x 60,000", patched(t, as("avif"), "ispe", 4, sides32(huge, huge)), refused, false},
		hostileFile{
			"avif that lies within the limit",
			patched(t, as("avif"), "ispe", 4, sides32(9_000, 9_000)),
			"ok " + refused,
			false,
		},
		hostileFile{
			"jp2 of 60,000 x 60,000",
			patched(t, patched(t, as("jp2"), "ihdr", 0, sides32(huge, huge)), "\xff\x51", 4, sides32(huge, huge)),
			refused,
			false,
		},
		hostileFile{
			"jp2 that lies within the limit",
			patched(t, patched(t, as("jp2"), "ihdr", 0, sides32(9_000, 9_000)), "\xff\x51", 4, sides32(9_000, 9_000)),
			refused,
			false,
		},
	)
	return files
}
