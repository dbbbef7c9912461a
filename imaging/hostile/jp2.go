package hostile

import (
	"bytes"
	"fmt"
)

// codestream returns a JPEG 2000 main header with image and tile sizes, and components of 8 bits each.
func codestream(width, height, tileWidth, tileHeight, components, levels int) []byte {
	size := join(
		be16(0), be32(width, height, 0, 0, tileWidth, tileHeight, 0, 0), be16(components),
		bytes.Repeat([]byte{7, 1, 1}, components),
	)
	coding := []byte{0, 0, 0, 1, 0, byte(levels), 4, 4, 0, 1}
	quantisation := append([]byte{0x40}, bytes.Repeat([]byte{0x48}, 3*min(levels, 32)+1)...)
	return join([]byte{0xff, 0x4f}, segment(0x51, size), segment(0x52, coding), segment(0x5c, quantisation))
}

// tilePart returns one part of a tile with data in it.
func tilePart(tile, length, part, parts int, data []byte) []byte {
	return join(
		segment(0x90, join(be16(tile), be32(length), []byte{byte(part), byte(parts)})), []byte{0xff, 0x93},
		data,
	)
}

func jp2Boxed(width, height, components int, stream []byte) []byte {
	header := box(
		"jp2h", box("ihdr", be32(height, width), be16(components), []byte{7, 7, 0, 0}),
		box("colr", []byte{1, 0, 0}, be32(16)),
	)
	return join(
		box("jP  ", []byte("\r\n\x87\n")), box("ftyp", []byte("jp2 "), be32(0), []byte("jp2 ")), header,
		box("jp2c", stream),
	)
}

func jp2Files(c *corpus, s Seeds) {
	add := func(name string, make func() []byte) { c.add("jp2", "jp2 "+name, "jp2", make) }
	for _, d := range [][6]int{
		{1<<31 - 1, 1<<31 - 1, 1 << 30, 1 << 30, 3, 5}, {60_000, 60_000, 60_000, 60_000, 3, 5},
		{9_999, 9_999, 9_999, 9_999, 3, 5}, {9_999, 9_999, 40, 40, 3, 5}, {65_535, 65_535, 1, 1, 1, 0},
		{100, 100, 100, 100, 16_384, 5}, {100, 100, 0, 0, 3, 5}, {0, 0, 10, 10, 3, 5}, {100, 100, 100, 100, 0, 5},
		{100, 100, 100, 100, 3, 33}, {9_000, 1, 1, 1, 4, 32},
	} {
		add(fmt.Sprintf("%v", d), func() []byte {
			stream := join(
				codestream(d[0], d[1], d[2], d[3], d[4], d[5]), tilePart(0, 0, 0, 1, make([]byte, 200)),
				[]byte{0xff, 0xd9},
			)
			return jp2Boxed(d[0], d[1], d[4], stream)
		})
	}
	for _, n := range []int{255, 60_000} {
		add(fmt.Sprintf("%d parts of a tile", n), func() []byte {
			part := tilePart(0, 14, 0, 0, nil)
			return jp2Boxed(
				100, 100, 3,
				join(codestream(100, 100, 100, 100, 3, 5), bytes.Repeat(part, n), []byte{0xff, 0xd9}),
			)
		})
	}
	add("comments", func() []byte {
		return jp2Boxed(
			100,
			100,
			3,
			join(
				codestream(100, 100, 100, 100, 3, 5), bytes.Repeat(segment(0x64, make([]byte, 60_000)), 100),
				[]byte{0xff, 0xd9},
			),
		)
	})
	add("300000 empty comments", func() []byte {
		return jp2Boxed(
			100,
			100,
			3,
			join(
				codestream(100, 100, 100, 100, 3, 5), bytes.Repeat(segment(0x64, nil), 300_000),
				tilePart(0, 0, 0, 1, make([]byte, 200)), []byte{0xff, 0xd9},
			),
		)
	})
	add("palette of 1024 by 255", func() []byte {
		return join(
			box("jP  ", []byte("\r\n\x87\n")),
			box(
				"jp2h", box("ihdr", be32(10, 10), be16(1), []byte{7, 7, 0, 0}),
				box("pclr", be16(1024), []byte{255}, make([]byte, 2_000)),
			),
			box("jp2c", codestream(10, 10, 10, 10, 1, 1)),
		)
	})
	add("20000 boxes deep", func() []byte { return join(box("jP  ", []byte("\r\n\x87\n")), nested("jp2h", 20_000)) })
	add(
		"200000 boxes",
		func() []byte { return join(box("jP  ", []byte("\r\n\x87\n")), bytes.Repeat(box("uuid"), 200_000)) },
	)
	add("bare codestream", func() []byte {
		return join(codestream(5_000, 5_000, 5_000, 5_000, 3, 5), tilePart(0, 0, 0, 1, make([]byte, 2_000)))
	})
	jp2 := s["jp2"]
	if jp2 == nil {
		return
	}
	for _, d := range [][2]int{{9_999, 9_999}, {1<<31 - 1, 1}, {65_535, 65_535}} {
		add(fmt.Sprintf("says %v", d), func() []byte {
			return replaced(replaced(jp2, "\xff\x51", 4, be32(d[0], d[1])), "ihdr", 0, be32(d[1], d[0]))
		})
		add(
			fmt.Sprintf("says %v in its stream", d),
			func() []byte { return replaced(jp2, "\xff\x51", 4, be32(d[0], d[1])) },
		)
		add(fmt.Sprintf("tiles of %v", d), func() []byte { return replaced(jp2, "\xff\x51", 20, be32(d[0], d[1])) })
	}
}
