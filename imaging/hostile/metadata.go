package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// exifOf returns EXIF data whose first directory has the given tags; more is at offset 256.
func exifOf(tags []tag, more []byte) []byte {
	b := join([]byte("II*\x00"), le32(8), directory(tags...), le32(0))
	return join(b, make([]byte, max(0, 256-len(b))), more)
}

// iccOf returns a profile header with tags, each of which is a signature, an offset and a size.
func iccOf(space, pcs string, size int, tags ...[3]int) []byte {
	b := join(
		be32(size), []byte("lcms"), be32(0x04300000), []byte("mntr"), []byte(space), []byte(pcs),
		make([]byte, 12), []byte("acsp"), make([]byte, 28), be32(0xf6d6, 0x10000, 0xd32d), make([]byte, 48),
	)
	b = append(b, be32(len(tags))...)
	for _, t := range tags {
		b = append(b, be32(t[0], t[1], t[2])...)
	}
	return append(b, noise(space+pcs, 2_000)...)
}

// metadataFiles adds metadata that attacks parsers, in all formats that support metadata.
func metadataFiles(c *corpus, s Seeds) {
	for _, e := range exifs() {
		c.addExif(s, e.name, e.data)
	}
	many := join([]byte("II*\x00"), le32(8), directory(unknown(60_000)...), le32(0))
	c.add("exif", "png 60000 tags", "png", func() []byte { return pngTiny(pngChunk("eXIf", many)) })
	c.add(
		"exif", "webp 60000 tags", "webp",
		func() []byte { return riff(webpCanvas(8, 1, 1), webpPixel, webpChunk("EXIF", many)) },
	)
	signature := func(text string) int { return int(text[0])<<24 | int(text[1])<<16 | int(text[2])<<8 | int(text[3]) }
	profiles := map[string][]byte{
		"says 2^32 tags": replaced(iccOf("RGB ", "XYZ ", 2_128), "\x00\x00\x00\x00", 128, be32(1<<32-1)),
		"curve of 2^31":  iccOf("RGB ", "XYZ ", 1<<31-1, [3]int{signature("rTRC"), 144, 1<<31 - 1}),
		"tags in each other": iccOf(
			"GRAY", "XYZ ", 400, [3]int{signature("kTRC"), 128, 400}, [3]int{signature("wtpt"), 0, 400},
		),
		"pcs of nothing": iccOf("RGB ", "ABCD", 400),
		"15 channels":    iccOf("FCLR", "Lab ", 400, [3]int{signature("A2B0"), 144, 1_000}),
		"link":           iccOf("CMYK", "CMYK", 400, [3]int{signature("A2B0"), 144, 1_000}),
	}
	for _, name := range []string{"says 2^32 tags", "curve of 2^31", "tags in each other", "pcs of nothing",
		"15 channels", "link"} {
		p := profiles[name]
		if s["jpg"] != nil {
			c.add(
				"icc bomb", "jpeg profile "+name, "jpg",
				func() []byte { return afterSOI(s["jpg"], segment(0xe2, join([]byte("ICC_PROFILE\x00\x01\x01"), p))) },
			)
		}
		c.add(
			"icc bomb", "png profile "+name, "png",
			func() []byte { return pngTiny(pngChunk("iCCP", join([]byte("p\x00\x00"), compressed(p)))) },
		)
	}
	for _, x := range [][2]string{
		{"deep", "<x:xmpmeta>" + strings.Repeat("<a>", 10_000)},
		{"laughs", `<!DOCTYPE x [<!ENTITY a "` + strings.Repeat("a", 9_000) + `"><!ENTITY b "` +
			strings.Repeat("&a;", 9_000) + `">]><x>&b;</x>`},
		{"external", `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x:xmpmeta>&a;</x:xmpmeta>`},
		{"not text", string(noise("xmp", 20_000))},
		{"literal escapes", `<x:xmpmeta dc="\u0000\ud800\x00&#0;&#xffff;"/>`},
	} {
		if s["jpg"] != nil {
			c.add("xmp", "jpeg xmp "+x[0], "jpg", func() []byte {
				return afterSOI(
					s["jpg"],
					segment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00" + x[1])[:min(29+len(x[1]), 65_000)]),
				)
			})
		}
		c.add(
			"xmp", "png xmp "+x[0], "png",
			func() []byte { return pngTiny(pngChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+x[1]))) },
		)
		c.add(
			"xmp", "webp xmp "+x[0], "webp",
			func() []byte { return riff(webpCanvas(4, 1, 1), webpPixel, webpChunk("XMP ", []byte(x[1]))) },
		)
	}
}

type exif struct {
	name string
	data []byte
}

func exifs() []exif {
	text := func(id int, value string) []byte { return exifOf([]tag{{id, 2, len(value), 256}}, []byte(value)) }
	list := []exif{
		{"directory that follows itself", join([]byte("II*\x00"), le32(8), directory(tag{274, 3, 1, 1}), le32(8))},
		{"exif directory that is itself", exifOf([]tag{{34665, 4, 1, 8}}, nil)},
		{
			"gps in exif in gps",
			exifOf(
				[]tag{{34665, 4, 1, 256}, {34853, 4, 1, 256}},
				join(directory(tag{34853, 4, 1, 8}, tag{40965, 4, 1, 256}), le32(256)),
			),
		},
		{
			"65535 tags",
			join([]byte("II*\x00"), le32(8), le16(65_535), bytes.Repeat(directory(tag{271, 2, 4, 0x41})[2:], 5_000)),
		},
		{"text of 2^32", exifOf([]tag{{271, 2, 1<<32 - 1, 256}}, []byte("x"))},
		{"rationals of 2^31", exifOf([]tag{{33434, 5, 1 << 31, 256}}, make([]byte, 8))},
		{"division by nothing", exifOf([]tag{{33434, 5, 1, 256}, {282, 5, 1, 256}}, le32(1, 0))},
		{"thumbnail beyond", exifOf([]tag{{513, 4, 1, 1 << 31}, {514, 4, 1, 1<<31 - 1}}, nil)},
		{"offset of the head", join([]byte("II*\x00"), le32(1<<31))},
		{"maker note of noise", exifOf([]tag{{37500, 7, 30_000, 256}}, noise("maker", 30_000))},
		{"maker note that is a directory", exifOf([]tag{{37500, 7, 1_000, 8}, {271, 2, 6, 256}}, []byte("Canon\x00"))},
		{"unknown kinds", exifOf([]tag{{271, 0, 1, 0}, {272, 13, 1, 8}, {274, 99, 9, 9}}, nil)},
		{
			"many comments",
			exifOf(
				[]tag{{37510, 7, 40_000, 256}, {37510, 7, 40_000, 256}, {270, 2, 40_000, 256}},
				bytes.Repeat([]byte("UNICODE\x00"), 5_000),
			),
		},
	}
	for _, n := range []int{0, 9, 65_535} {
		list = append(list, exif{fmt.Sprintf("orientation %d", n), exifOf([]tag{{274, 3, 1, n}}, nil)})
	}
	for i, value := range []string{`\u0000`, `\u0000\ud800\udfff\uffff`, `\\u0000\\`, "a\x00b\x00c", "\xff\xfe\xc0\x80",
		"<script>alert(1)</script>", "'; DROP TABLE files; --", "%s%n%x%s", "\u202egnp.exe", "{{7*7}}",
		strings.Repeat("\u0301", 9_000), `"}],"errors":[{"`, "\r\nX-Injected: yes"} {
		for _, id := range []int{271, 315, 33432} {
			list = append(list, exif{fmt.Sprintf("text %d in %d", i, id), text(id, value)})
		}
	}
	return list
}

// addExif puts EXIF data into a JPEG, a PNG or a WebP, in turn.
func (c *corpus) addExif(s Seeds, name string, data []byte) {
	switch n := len(c.files) % 3; {
	case n == 0 && s["jpg"] != nil:
		c.add("exif", "jpeg "+name, "jpg", func() []byte {
			return afterSOI(s["jpg"], segment(0xe1, join([]byte("Exif\x00\x00"), data)[:min(len(data)+6, 65_000)]))
		})
	case n == 1:
		c.add(
			"exif", "webp "+name, "webp",
			func() []byte { return riff(webpCanvas(8, 1, 1), webpPixel, webpChunk("EXIF", data)) },
		)
	default:
		c.add("exif", "png "+name, "png", func() []byte { return pngTiny(pngChunk("eXIf", data)) })
	}
}
