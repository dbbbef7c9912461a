package hostile

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// pngChunk returns a chunk with its checksum.
func pngChunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	return join(be32(len(data)), body, be32(int(crc32.ChecksumIEEE(body))))
}

// pngHeader returns an IHDR; interlace is 0 or 1.
func pngHeader(width, height, depth, colour, interlace int) []byte {
	return pngChunk("IHDR", join(be32(width, height), []byte{byte(depth), byte(colour), 0, 0, byte(interlace)}))
}

func pngOf(chunks ...[]byte) []byte {
	return join([]byte(pngMagic), join(chunks...), pngChunk("IEND", nil))
}

// pngTiny returns a grey PNG of 8 x 8 pixels with additional chunks before the pixels.
func pngTiny(chunks ...[]byte) []byte {
	return pngOf(pngHeader(8, 8, 8, 0, 0), join(chunks...), pngChunk("IDAT", zeros(8*9)))
}

// pngBomb returns a complete PNG with one bit per pixel.
func pngBomb(width, height int) []byte {
	return pngOf(pngHeader(width, height, 1, 0, 0), pngChunk("IDAT", zeros(height*(1+(width+7)/8))))
}

func pngFiles(c *corpus, _ Seeds) {
	for _, s := range [][2]int{{1, 10_000_000}, {10_000_000, 1}, {30_000, 30_000}, {9_999, 9_999}, {100_000, 900},
		{900, 100_000}, {65_536, 1}, {1, 65_536}, {16_384, 6_000}} {
		c.add(
			"png size bomb", fmt.Sprintf("png %dx%d", s[0], s[1]), "png",
			func() []byte { return pngBomb(s[0], s[1]) },
		)
	}
	for _, s := range [][2]int{{0, 10}, {10, 0}, {1<<31 - 1, 1<<31 - 1}, {1<<32 - 1, 1<<32 - 1}, {1 << 31, 1},
		{60_000, 60_000}, {46_341, 46_341}, {1, 1<<31 - 1}} {
		c.add(
			"png lying", fmt.Sprintf("png says %dx%d", s[0], s[1]), "png",
			func() []byte { return pngOf(pngHeader(s[0], s[1], 8, 6, 0), pngChunk("IDAT", zeros(100))) },
		)
	}
	for _, k := range [][3]int{{16, 6, 1}, {3, 0, 0}, {8, 1, 0}, {16, 3, 0}, {1, 2, 0}, {0, 0, 0}, {255, 255, 1},
		{8, 3, 0}} {
		c.add("png kinds", fmt.Sprintf("png depth %d colour %d interlace %d", k[0], k[1], k[2]), "png", func() []byte {
			return pngOf(pngHeader(64, 64, k[0], k[1], k[2]), pngChunk("IDAT", zeros(64*(64*8+1))))
		})
	}
	c.add("png size bomb", "png interlaced 9000", "png", func() []byte {
		return pngOf(pngHeader(9_000, 9_000, 1, 0, 1), pngChunk("IDAT", zeros(9_000*9_000/8+60_000)))
	})
	c.add("png size bomb", "png 16 bit rgba 5000", "png", func() []byte {
		return pngOf(pngHeader(5_000, 5_000, 16, 6, 0), pngChunk("IDAT", zeros(5_000*(5_000*8+1))))
	})
	c.add(
		"png data bomb", "png idat of 400 MB for 8x8", "png",
		func() []byte { return pngOf(pngHeader(8, 8, 8, 0, 0), pngChunk("IDAT", zeros(huge))) },
	)
	c.add("png data bomb", "png 100000 empty idat", "png", func() []byte {
		return pngOf(
			pngHeader(8, 8, 8, 0, 0), bytes.Repeat(pngChunk("IDAT", nil), 100_000),
			pngChunk("IDAT", zeros(8*9)),
		)
	})
	c.add("png data bomb", "png idat of single bytes", "png", func() []byte {
		var b []byte
		for _, one := range zeros(2_000 * 251) {
			b = append(b, pngChunk("IDAT", []byte{one})...)
		}
		return pngOf(pngHeader(2_000, 2_000, 1, 0, 0), b)
	})
	pngText(c)
	pngOdd(c)
}

// pngText adds excessive text and profiles.
func pngText(c *corpus) {
	for _, n := range []int{50, 500} {
		c.add("png text flood", fmt.Sprintf("png %d ztxt of 4 MB", n), "png", func() []byte {
			return pngTiny(bytes.Repeat(pngChunk("zTXt", join([]byte("Comment\x00\x00"), deflated(4_000_000, 'a'))), n))
		})
		c.add("png text flood", fmt.Sprintf("png %d itxt of 4 MB", n), "png", func() []byte {
			return pngTiny(
				bytes.Repeat(
					pngChunk("iTXt", join([]byte("XML:com.adobe.xmp\x00\x01\x00\x00\x00"), deflated(4_000_000, 'a'))),
					n,
				),
			)
		})
	}
	c.add(
		"png text flood", "png ztxt of 400 MB", "png",
		func() []byte { return pngTiny(pngChunk("zTXt", join([]byte("Comment\x00\x00"), zeros(huge)))) },
	)
	c.add(
		"png text flood", "png 100000 text", "png",
		func() []byte { return pngTiny(bytes.Repeat(pngChunk("tEXt", []byte("k\x00v")), 100_000)) },
	)
	c.add("png text flood", "png text of 8 MB", "png", func() []byte {
		return pngTiny(pngChunk("tEXt", join([]byte("k\x00"), bytes.Repeat([]byte("x"), 8<<20))))
	})
	c.add(
		"png text flood", "png text without a key", "png",
		func() []byte { return pngTiny(pngChunk("tEXt", bytes.Repeat([]byte{0}, 1000))) },
	)
	c.add(
		"icc bomb", "png iccp of 400 MB", "png",
		func() []byte { return pngTiny(pngChunk("iCCP", join([]byte("p\x00\x00"), zeros(huge)))) },
	)
	c.add(
		"icc bomb", "png iccp of noise", "png",
		func() []byte { return pngTiny(pngChunk("iCCP", join([]byte("p\x00\x00"), noise("iccp", 4000)))) },
	)
	c.add("icc bomb", "png 200 iccp", "png", func() []byte {
		return pngTiny(bytes.Repeat(pngChunk("iCCP", join([]byte("p\x00\x00"), zeros(3<<20))), 200))
	})
}

func pngOdd(c *corpus) {
	c.add("png kinds", "png palette of nothing", "png", func() []byte {
		return pngOf(pngHeader(64, 64, 8, 3, 0), pngChunk("PLTE", nil), pngChunk("IDAT", deflated(64*65, 200)))
	})
	c.add("png kinds", "png palette beyond its end", "png", func() []byte {
		return pngOf(
			pngHeader(64, 64, 8, 3, 0), pngChunk("PLTE", []byte{1, 2, 3}),
			pngChunk("tRNS", noise("trns", 256)), pngChunk("IDAT", deflated(64*65, 4)),
		)
	})
	c.add(
		"png kinds", "png filters beyond four", "png",
		func() []byte { return pngOf(pngHeader(64, 64, 8, 0, 0), pngChunk("IDAT", deflated(64*65, 9))) },
	)
	c.add("png kinds", "png checksums wrong", "png", func() []byte {
		b := pngTiny()
		for i := 20; i < len(b); i += 7 {
			b[i] ^= 0x10
		}
		return b
	})
	c.add(
		"png kinds", "png chunk longer than the file", "png",
		func() []byte { return join([]byte(pngMagic), pngHeader(8, 8, 8, 0, 0), be32(1<<31-1), []byte("IDAT")) },
	)
	c.add("png kinds", "png two headers", "png", func() []byte { return pngTiny(pngHeader(60_000, 60_000, 8, 6, 0)) })
	c.add(
		"png kinds", "png chunks after the end", "png",
		func() []byte { return join(pngTiny(), pngTiny(), noise("tail", 5000)) },
	)
	c.add("png kinds", "png phys of nothing", "png", func() []byte {
		return pngTiny(
			pngChunk("pHYs", join(be32(0, 0), []byte{1})), pngChunk("gAMA", be32(0)),
			pngChunk("cHRM", bytes.Repeat([]byte{0}, 32)),
		)
	})
	for _, n := range []int{1<<31 - 1, 10_000} {
		c.add("animation flood", fmt.Sprintf("apng says %d frames", n), "png", func() []byte {
			frame := pngChunk("fcTL", join(be32(0, 8, 8, 0, 0), be16(1, 10), []byte{0, 0}))
			return pngTiny(pngChunk("acTL", be32(n, 0)), bytes.Repeat(frame, min(n, 20_000)))
		})
	}
}
