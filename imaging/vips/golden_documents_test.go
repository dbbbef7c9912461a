package vips

import (
	"bytes"
	"encoding/binary"
	"fmt"
	stdimage "image"
)

// drawing is a picture of lines and surfaces.
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="36" viewBox="0 0 48 36">
<rect x="2" y="2" width="30" height="32" rx="5" fill="#2a7"/>
<circle cx="34" cy="14" r="11" fill="#fc3" fill-opacity=".8"/>
<path d="M4 32 L20 8 L30 32 Z" fill="none" stroke="#124" stroke-width="2"/>
</svg>
`

// document is a PDF of two pages: a red triangle at the left, a blue bar at the bottom.
func document() []byte {
	var b bytes.Buffer
	var places []int
	object := func(format string, a ...any) {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(places), fmt.Sprintf(format, a...))
	}
	content := func(text string) { object("<< /Length %d >>\nstream\n%s\nendstream", len(text), text) }
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 60 45] /Contents 5 0 R >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 60 45] /Contents 6 0 R >>")
	content("0.8 0.1 0.1 rg 5 5 m 5 40 l 30 22 l f")
	content("0.1 0.2 0.8 rg 5 5 50 10 re f")
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(places)+1)
	for _, at := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(places)+1, start)
	return b.Bytes()
}

// tiffOf is a TIFF of several pages, RGBA without compression.
func tiffOf(pages ...*stdimage.NRGBA) []byte {
	b := []byte("II*\x00")
	link := len(b)
	b = append(b, 0, 0, 0, 0)
	for _, page := range pages {
		width, height := page.Bounds().Dx(), page.Bounds().Dy()
		pixels := uint32(len(b))
		b = append(b, page.Pix...)
		bits := uint32(len(b))
		b = append(b, 8, 0, 8, 0, 8, 0, 8, 0)
		binary.LittleEndian.PutUint32(b[link:], uint32(len(b)))
		entries := [][4]uint32{ // tag, type, count, value
			{256, 4, 1, uint32(width)}, {257, 4, 1, uint32(height)}, {258, 3, 4, bits}, {259, 3, 1, 1}, {262, 3, 1, 2},
			{
				273,
				4,
				1,
				pixels,
			}, {277, 3, 1, 4}, {278, 4, 1, uint32(height)}, {279, 4, 1, uint32(len(page.Pix))}, {284, 3, 1, 1},
			{338, 3, 1, 2},
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(len(entries)))
		for _, e := range entries {
			b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
			b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
			b = binary.LittleEndian.AppendUint32(b, e[2])
			b = binary.LittleEndian.AppendUint32(b, e[3])
		}
		link = len(b)
		b = append(b, 0, 0, 0, 0)
	}
	return b
}
