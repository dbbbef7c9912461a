package hostile

import (
	"bytes"
	"fmt"
)

// box returns an ISO base media box.
func box(kind string, data ...[]byte) []byte {
	body := join(data...)
	return join(be32(len(body)+8), []byte(kind), body)
}

// fullBox returns a box with a version and flags.
func fullBox(kind string, version byte, data ...[]byte) []byte {
	return box(kind, append([][]byte{{version, 0, 0, 0}}, data...)...)
}

// nested returns boxes that are nested to the given depth.
func nested(kind string, depth int) []byte {
	b := box(kind)
	for range depth {
		b = box(kind, b)
	}
	return b
}

func fileType(brand string) []byte {
	return box("ftyp", []byte(brand), be32(0), []byte("mif1"), []byte(brand))
}

// gridFile returns a HEIF whose picture is a grid in which every tile is item 2.
func gridFile(brand string, rows, columns, width, height int) []byte {
	items := join(
		fullBox("infe", 2, be16(1, 0), []byte("grid\x00")),
		fullBox("infe", 2, be16(2, 0), []byte("av01\x00")),
	)
	refs := join(be16(1, rows*columns), bytes.Repeat(be16(2), rows*columns))
	meta := fullBox(
		"meta", 0,
		fullBox("hdlr", 0, be32(0), []byte("pict"), make([]byte, 13)),
		fullBox("pitm", 0, be16(1)),
		fullBox("iinf", 0, be16(2), items),
		fullBox("iref", 0, box("dimg", refs)),
		box(
			"iprp", box("ipco", fullBox("ispe", 0, be32(width, height))),
			fullBox("ipma", 0, be32(2), be16(1), []byte{1, 1}, be16(2), []byte{1, 1}),
		),
		fullBox("iloc", 1, []byte{0x44, 0x00}, be16(2), be16(1, 1, 0, 1), be32(0, 8), be16(2, 1, 0, 1), be32(8, 60)),
		box("idat", []byte{0, 0, byte(rows - 1), byte(columns - 1)}, be16(width, height), noise("tile", 60)),
	)
	return join(fileType(brand), meta)
}

// metaFile returns a HEIF with the given boxes in its meta box.
func metaFile(brand string, boxes ...[]byte) []byte {
	handler := fullBox("hdlr", 0, be32(0), []byte("pict"), make([]byte, 13))
	boxes = append([][]byte{handler, fullBox("pitm", 0, be16(1))}, boxes...)
	return join(fileType(brand), fullBox("meta", 0, boxes...), box("mdat", noise("mdat", 1000)))
}

// madeOf is an item of a HEIF: of that type, and made of the items in parts.
type madeOf struct {
	kind, data    string
	width, height int
	parts         []int
}

// derivedFile returns a HEIF with items, numbered from 1, that are made of each other. The first one is the picture.
func derivedFile(brand string, items ...madeOf) []byte {
	var entries, refs, sizes, belong, places, data []byte
	for n, item := range items {
		entries = append(entries, fullBox("infe", 2, be16(n+1, 0), []byte(item.kind+"\x00"))...)
		if len(item.parts) > 0 {
			refs = append(refs, box("dimg", be16(n+1, len(item.parts)), be16(item.parts...))...)
		}
		sizes = append(sizes, fullBox("ispe", 0, be32(item.width, item.height))...)
		belong = append(belong, join(be16(n+1), []byte{1, byte(n + 1)})...)
		places = append(places, join(be16(n+1, 1, 0, 1), be32(len(data), len(item.data)))...)
		data = append(data, item.data...)
	}
	return metaFile(
		brand, fullBox("iinf", 0, be16(len(items)), entries), fullBox("iref", 0, refs),
		box("iprp", box("ipco", sizes), fullBox("ipma", 0, be32(len(items)), belong)),
		fullBox("iloc", 1, []byte{0x44, 0}, be16(len(items)), places), box("idat", data),
	)
}

// gridOf is a grid of rows by columns tiles, each of which is the item part.
func gridOf(rows, columns, width, height, part int) madeOf {
	g := madeOf{kind: "grid", width: width, height: height}
	g.data = string(join([]byte{0, 0, byte(rows - 1), byte(columns - 1)}, be16(width, height)))
	for range rows * columns {
		g.parts = append(g.parts, part)
	}
	return g
}

// overlayOf is an overlay of so many layers, each of which is the item part, at the top left.
func overlayOf(layers, width, height, part int) madeOf {
	o := madeOf{kind: "iovl", width: width, height: height}
	o.data = string(join(make([]byte, 10), be16(width, height), make([]byte, 4*layers)))
	for range layers {
		o.parts = append(o.parts, part)
	}
	return o
}

// tileOf is a picture whose bytes are no picture.
func tileOf(width, height int) madeOf {
	return madeOf{kind: "av01", data: string(noise("tile", 60)), width: width, height: height}
}

func heifFiles(c *corpus, s Seeds) {
	for _, ext := range []string{"avif", "heic"} {
		heifShapes(c, ext, ext)
		if s[ext] != nil {
			heifPatched(c, s[ext], ext)
		}
	}
}

func heifShapes(c *corpus, brand, ext string) {
	add := func(name string, make func() []byte) { c.add(ext+" boxes", ext+" "+name, ext, make) }
	for _, g := range [][4]int{{256, 256, 65_535, 65_535}, {256, 256, 4_000, 4_000}, {1, 1, 65_535, 65_535},
		{100, 100, 1, 1}} {
		add(fmt.Sprintf("grid %v", g), func() []byte { return gridFile(brand, g[0], g[1], g[2], g[3]) })
	}
	add("20000 boxes deep", func() []byte { return join(fileType(brand), nested("meta", 20_000)) })
	add("100000 free boxes", func() []byte { return join(fileType(brand), bytes.Repeat(box("free"), 100_000)) })
	add("a free box of 16 MB", func() []byte { return join(fileType(brand), box("free", make([]byte, 16<<20))) })
	add("free boxes in meta", func() []byte { return metaFile(brand, bytes.Repeat(box("free"), 100_000)) })
	add("box of size 0", func() []byte { return join(fileType(brand), be32(0), []byte("meta"), make([]byte, 100)) })
	add("box of size 1 and 2^63", func() []byte {
		return join(fileType(brand), be32(1), []byte("meta"), bytes.Repeat([]byte{0xff}, 8), make([]byte, 100))
	})
	add(
		"box smaller than its head",
		func() []byte { return join(fileType(brand), be32(4), []byte("meta"), make([]byte, 100)) },
	)
	add("65535 items", func() []byte {
		return metaFile(
			brand,
			fullBox("iinf", 0, be16(65_535), bytes.Repeat(fullBox("infe", 2, be16(1, 0), []byte("av01\x00")), 65_535)),
		)
	})
	add("9000 items", func() []byte {
		var items, places, belong []byte
		for n := range 9_000 {
			items = append(items, fullBox("infe", 2, be16(n+1, 0), []byte("av01\x00"))...)
			places = append(places, join(be16(n+1, 0, 0, 1), be32(0, 8))...)
			belong = append(belong, join(be16(n+1), []byte{1, 1})...)
		}
		return metaFile(
			brand, fullBox("iinf", 0, be16(9_000), items),
			fullBox("iloc", 1, []byte{0x44, 0}, be16(9_000), places),
			box("iprp", box("ipco", fullBox("ispe", 0, be32(8, 8))), fullBox("ipma", 0, be32(9_000), belong)),
		)
	})
	add("says 2^32 items", func() []byte { return metaFile(brand, fullBox("iinf", 1, be32(1<<32-1))) })
	add("iloc of 65535 extents", func() []byte {
		extents := bytes.Repeat(be32(0, 1<<31-1), 65_535)
		return metaFile(brand, fullBox("iloc", 1, []byte{0x44, 0x00}, be16(1), be16(1, 0, 0, 65_535), extents))
	})
	add(
		"iloc says 65535 items",
		func() []byte { return metaFile(brand, fullBox("iloc", 1, []byte{0x88, 0x88}, be16(65_535))) },
	)
	add("references in a circle", func() []byte {
		one, two := fullBox("infe", 2, be16(1, 0), []byte("iden\x00")), fullBox("infe", 2, be16(2, 0), []byte("iden\x00"))
		return metaFile(
			brand,
			fullBox("iinf", 0, be16(2), one, two),
			fullBox("iref", 0, box("dimg", be16(1, 1, 2)), box("dimg", be16(2, 1, 1))),
		)
	})
	add("an item that refers to itself", func() []byte {
		return metaFile(
			brand, fullBox("iinf", 0, be16(1), fullBox("infe", 2, be16(1, 0), []byte("iovl\x00"))),
			fullBox("iref", 0, box("dimg", be16(1, 3, 1, 1, 1))),
		)
	})
	add("100000 properties", func() []byte {
		return metaFile(brand, box("iprp", box("ipco", bytes.Repeat(fullBox("ispe", 0, be32(1, 1)), 100_000))))
	})
	add(
		"ipma says 2^32 entries",
		func() []byte { return metaFile(brand, box("iprp", box("ipco"), fullBox("ipma", 0, be32(1<<32-1)))) },
	)
	add("profile of 20 MB", func() []byte {
		return metaFile(brand, box("iprp", box("ipco", box("colr", []byte("prof"), noise("colr", 20<<20)))))
	})
	add("sequence of 2^31 samples", func() []byte {
		table := box("stbl", fullBox("stsz", 0, be32(1, 1<<31-1)), fullBox("stts", 0, be32(1<<31-1)))
		return join(
			box("ftyp", []byte("avis"), be32(0), []byte("avis")),
			box("moov", box("trak", box("mdia", box("minf", table)))),
		)
	})
	add("nothing but its type", func() []byte { return fileType(brand) })
	add("1000 types", func() []byte { return bytes.Repeat(fileType(brand), 1_000) })
	add(
		"a type with 100000 brands",
		func() []byte { return join(box("ftyp", []byte(brand), be32(0), bytes.Repeat([]byte(brand), 100_000))) },
	)
	add("grids of grids", func() []byte {
		var items []madeOf
		for n := range 8 {
			items = append(items, gridOf(16, 16, 64, 64, n+2))
		}
		return derivedFile(brand, append(items, tileOf(64, 64))...)
	})
	add("overlay of 60000", func() []byte {
		return derivedFile(brand, overlayOf(60_000, 4_000, 4_000, 2), tileOf(64, 64))
	})
	add("overlay of large pictures", func() []byte {
		return derivedFile(brand, overlayOf(500, 4_000, 4_000, 2), tileOf(4_000, 4_000))
	})
	add("grids in a circle", func() []byte {
		return derivedFile(brand, gridOf(1, 2, 64, 64, 2), gridOf(2, 1, 64, 64, 1))
	})
	add("3000 pictures", func() []byte { return derivedFile(brand, make([]madeOf, 3_000)...) })
	add("broken tiles of 48 MP", func() []byte {
		return derivedFile(brand, gridOf(12, 16, 8_064, 6_048, 2), tileOf(512, 512))
	})
	add("broken layers", func() []byte { return derivedFile(brand, overlayOf(3, 400, 300, 2), tileOf(400, 300)) })
}

func heifPatched(c *corpus, seed []byte, ext string) {
	add := func(name string, make func() []byte) { c.add(ext+" patched", ext+" "+name, ext, make) }
	for _, d := range [][2]int{{1<<31 - 1, 1<<31 - 1}, {1<<32 - 1, 1}, {0, 0}, {65_535, 65_535}, {9_999, 9_999},
		{1, 1}} {
		add(fmt.Sprintf("ispe %v", d), func() []byte { return replaced(seed, "ispe", 4, be32(d[0], d[1])) })
	}
	for n := range 8 {
		add(
			fmt.Sprintf("iloc changed %d", n),
			func() []byte { return replaced(seed, "iloc", 4+2*n, noise(fmt.Sprint("iloc", n), 4)) },
		)
		add(fmt.Sprintf("codec configuration changed %d", n), func() []byte {
			return replaced(
				replaced(seed, "av1C", n%4, noise(fmt.Sprint("av1C", n), 2)), "hvcC", n,
				noise(fmt.Sprint("hvcC", n), 6),
			)
		})
	}
	add("junk boxes before", func() []byte {
		return join(seed[:boxEnd(seed)], bytes.Repeat(box("junk", make([]byte, 8)), 50_000), seed[boxEnd(seed):])
	})
	add("junk boxes after", func() []byte { return join(seed, bytes.Repeat(box("junk"), 200_000)) })
}

// boxEnd returns where the first box ends, at most 32.
func boxEnd(b []byte) int {
	if len(b) < 4 {
		return 0
	}
	return min(int(b[3]), 32, len(b))
}
