package hostile

import (
	"bytes"
	"fmt"
)

// tag is an entry of a TIFF directory.
type tag struct{ id, kind, count, value int }

// directory returns a TIFF directory without the offset of the next one.
func directory(tags ...tag) []byte {
	b := le16(len(tags))
	for _, t := range tags {
		b = append(b, join(le16(t.id, t.kind), le32(t.count, t.value))...)
	}
	return b
}

// basic returns the tags of a picture with a single strip at an offset.
func basic(width, height, compression, offset, bytes int) []tag {
	return []tag{
		{256, 4, 1, width},
		{257, 4, 1, height},
		{258, 3, 1, 8},
		{259, 3, 1, compression},
		{262, 3, 1, 1},
		{273, 4, 1, offset},
		{277, 3, 1, 1},
		{278, 4, 1, height},
		{279, 4, 1, bytes},
	}
}

// tiffOf returns a TIFF with a single directory at its start and data at offset 512.
func tiffOf(tags []tag, data []byte) []byte {
	b := join([]byte("II*\x00"), le32(8), directory(tags...), le32(0))
	return join(b, make([]byte, max(0, 512-len(b))), data)
}

// with returns tags with more added; a tag with the same id replaces the existing one.
func with(tags []tag, more ...tag) []tag {
	out := append([]tag(nil), tags...)
next:
	for _, m := range more {
		for i := range out {
			if out[i].id == m.id {
				out[i] = m
				continue next
			}
		}
		out = append(out, m)
	}
	return out
}

// unknown returns n different tags without a meaning.
func unknown(n int) (tags []tag) {
	for id := range n {
		tags = append(tags, tag{2_000 + id, 3, 1, 1})
	}
	return tags
}

// tiffPages returns a TIFF with n directories of one pixel each; next returns the offset to which each one points.
func tiffPages(n int, next func(page, size int) int) []byte {
	b := join([]byte("II*\x00"), le32(8))
	size := len(directory(basic(1, 1, 1, 8, 1)...)) + 4
	for i := range n {
		b = append(append(b, directory(basic(1, 1, 1, 8, 1)...)...), le32(next(i, size))...)
	}
	return b
}

func tiffFiles(c *corpus, _ Seeds) {
	add := func(class, name string, make func() []byte) { c.add(class, "tiff "+name, "tiff", make) }
	for _, n := range []int{1_000, 65_000, 200_000} {
		add("tiff pages", fmt.Sprintf("%d pages", n), func() []byte {
			return tiffPages(
				n,
				func(page, size int) int { return map[bool]int{true: 0, false: 8 + (page+1)*size}[page == n-1] },
			)
		})
	}
	add(
		"tiff pages", "page that follows itself",
		func() []byte { return tiffPages(1, func(int, int) int { return 8 }) },
	)
	add(
		"tiff pages", "pages in a circle",
		func() []byte { return tiffPages(100, func(page, size int) int { return 8 + ((page+1)%100)*size }) },
	)
	add(
		"tiff pages", "page beyond the end",
		func() []byte { return tiffPages(2, func(int, int) int { return 1<<31 - 2 }) },
	)
	add("tiff pages", "directory of 65535 tags", func() []byte {
		return join([]byte("II*\x00"), le32(8), le16(65_535), bytes.Repeat(directory(tag{256, 4, 1, 9})[2:], 65_535))
	})
	for _, n := range []int{1_000, 60_000} {
		add(
			"tiff pages", fmt.Sprintf("%d unknown tags", n),
			func() []byte { return tiffOf(append(basic(1, 1, 1, 8, 1), unknown(n)...), nil) },
		)
	}
	add("tiff pages", "9000 pages of 100 unknown tags", func() []byte {
		page := directory(append(basic(1, 1, 1, 8, 1), unknown(100)...)...)
		b := join([]byte("II*\x00"), le32(8))
		for n := range 9_000 {
			b = append(append(b, page...), le32(map[bool]int{true: 0, false: len(b) + len(page) + 4}[n == 8_999])...)
		}
		return b
	})
	add("tiff pages", "exif directory that is itself", func() []byte {
		return tiffOf(append(basic(4, 4, 1, 512, 16), tag{34665, 4, 1, 8}, tag{330, 4, 1, 8}), make([]byte, 16))
	})
	add("tiff pages", "65000 directories below", func() []byte {
		return tiffOf(append(basic(4, 4, 1, 512, 16), tag{330, 4, 65_000, 512}), bytes.Repeat(le32(8), 65_000))
	})
	for _, d := range [][3]int{{1<<31 - 1, 1<<31 - 1, 1}, {60_000, 60_000, 1}, {1, 10_000_000, 1}, {10_000_000, 1, 1},
		{9_999, 9_999, 5}, {9_999, 9_999, 8}, {9_999, 9_999, 32773}, {9_999, 9_999, 7}, {9_999, 9_999, 34712},
		{9_999, 9_999, 50000}, {9_999, 9_999, 34925}, {9_999, 9_999, 4}, {0, 0, 1}} {
		add(
			"tiff sizes", fmt.Sprintf("%dx%d compression %d", d[0], d[1], d[2]),
			func() []byte { return tiffOf(basic(d[0], d[1], d[2], 512, 100), make([]byte, 100)) },
		)
	}
	add(
		"tiff strips", "deflate bomb",
		func() []byte { z := zeros(huge); return tiffOf(basic(9_999, 9_999, 8, 512, len(z)), z) },
	)
	add(
		"tiff strips", "deflate bomb of 8x8",
		func() []byte { z := zeros(huge); return tiffOf(basic(8, 8, 8, 512, len(z)), z) },
	)
	add("tiff strips", "packbits", func() []byte {
		z := bytes.Repeat([]byte{0x81, 0}, 790_000)
		return tiffOf(basic(9_999, 9_999, 32773, 512, len(z)), z)
	})
	add(
		"tiff strips", "lzw of noise",
		func() []byte { return tiffOf(basic(3_000, 3_000, 5, 512, 100_000), noise("tiff lzw", 100_000)) },
	)
	for _, n := range []int{1, 50_000, 1 << 30} {
		add("tiff strips", fmt.Sprintf("%d strips of a row", n), func() []byte {
			return tiffOf(
				with(basic(8, n, 1, 512, 8), tag{278, 4, 1, 1}, tag{273, 4, n, 512}, tag{279, 4, n, 512}),
				bytes.Repeat(le32(8), min(n, 100_000)),
			)
		})
	}
	for _, t := range []tag{{258, 3, 1, 64}, {258, 3, 1, 0}, {258, 3, 1, 65_535}, {277, 3, 1, 65_535}, {277, 3, 1, 0},
		{262, 3, 1, 6}, {262, 3, 1, 5}, {262, 3, 1, 8}, {262, 3, 1, 32844}, {262, 3, 1, 60_000}, {284, 3, 1, 2},
		{317, 3, 1, 3}, {317, 3, 1, 60_000}, {339, 3, 1, 3}, {339, 3, 1, 6}, {278, 4, 1, 0}, {279, 4, 1, 1<<32 - 16},
		{273, 4, 1, 1<<32 - 16}, {274, 3, 1, 99}, {338, 3, 60_000, 2}, {301, 3, 60_000, 8}, {320, 3, 768, 1 << 30},
		{34675, 7, 1 << 30, 512}, {700, 1, 1 << 30, 512}, {33723, 7, 1 << 30, 512}, {270, 2, 1 << 31, 512},
		{347, 7, 1 << 20, 512}, {530, 3, 2, 0}} {
		add(
			"tiff tags", fmt.Sprintf("tag %d of %d is %d", t.id, t.count, t.value),
			func() []byte { return tiffOf(with(basic(64, 64, 1, 512, 4096), t), make([]byte, 4096)) },
		)
	}
	add("tiff tags", "planes of 60000 samples", func() []byte {
		return tiffOf(
			with(
				basic(64, 64, 1, 512, 64), tag{277, 3, 1, 60_000}, tag{284, 3, 1, 2},
				tag{273, 4, 60_000, 512}, tag{279, 4, 60_000, 512},
			),
			bytes.Repeat(le32(64), 60_000),
		)
	})
	for _, t := range [][4]int{{1, 1, 30_000, 3_000}, {65_520, 65_520, 10, 10}, {16, 16, 1<<31 - 16, 16},
		{0, 0, 100, 100}, {7, 7, 100, 100}} {
		add("tiff tiles", fmt.Sprintf("tiles %v", t), func() []byte {
			return tiffOf(
				with(
					basic(t[2], t[3], 1, 512, 16), tag{322, 4, 1, t[0]}, tag{323, 4, 1, t[1]},
					tag{324, 4, 1, 512}, tag{325, 4, 1, 256},
				),
				make([]byte, 4096),
			)
		})
	}
	add(
		"tiff tiles", "bigtiff of 2^62",
		func() []byte { return join([]byte("II+\x00\x08\x00\x00\x00"), le32(0, 1<<30), make([]byte, 100)) },
	)
	add("tiff tiles", "bigtiff with 2^62 tags", func() []byte {
		return join([]byte("II+\x00\x08\x00\x00\x00"), le32(16, 0, 0, 1<<30), make([]byte, 1000))
	})
	add(
		"tiff tiles", "big endian noise",
		func() []byte { return join([]byte("MM\x00*"), be32(8), noise("tiff", 3000)) },
	)
}
