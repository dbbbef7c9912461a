package hostile

import (
	"bytes"
	"fmt"
)

// gifOf returns a GIF with a palette of two colours.
func gifOf(width, height int, blocks ...[]byte) []byte {
	return join(
		[]byte("GIF89a"), le16(width, height), []byte{0x80, 0, 0, 0, 0, 0, 255, 255, 255}, join(blocks...),
		[]byte{0x3b},
	)
}

// gifFrame returns an image block with the given data, which must be in sub-blocks.
func gifFrame(x, y, width, height int, flags, codeSize byte, data []byte) []byte {
	b := join([]byte{0x2c}, le16(x, y, width, height), []byte{flags, codeSize})
	for len(data) > 0 {
		n := min(len(data), 255)
		b = append(append(b, byte(n)), data[:n]...)
		data = data[n:]
	}
	return append(b, 0)
}

// gifPixel is the data of a single pixel: clear, colour 0, end.
var gifPixel = []byte{0x44, 0x01}

// lzwZeros returns LZW data that expands to runs of zeros. Each code adds a run that is one pixel longer than the
// previous one.
func lzwZeros(codes int) (b []byte) {
	acc, bits, width, next := 0, 0, 3, 6
	put := func(code int) {
		acc |= code << bits
		for bits += width; bits >= 8; bits -= 8 {
			b, acc = append(b, byte(acc)), acc>>8
		}
	}
	put(4)
	put(0)
	for range codes {
		if next >= 1<<width && width < 12 {
			width++
		}
		if next >= 4095 {
			put(4)
			width, next = 3, 6
			put(0)
			continue
		}
		put(next)
		next++
	}
	put(5)
	return append(b, byte(acc))
}

func gifFiles(c *corpus, _ Seeds) {
	control := []byte{0x21, 0xf9, 4, 0, 1, 0, 0, 0}
	pixel := gifFrame(0, 0, 1, 1, 0, 2, gifPixel)
	for _, s := range [][3]int{{65_535, 65_535, 1}, {2_000, 2_000, 1_000}, {1_000, 1_000, 900}, {100, 100, 50_000},
		{1, 1, 200_000}, {10_000, 9_000, 2}} {
		c.add(
			"animation flood", fmt.Sprintf("gif %dx%d of %d frames", s[0], s[1], s[2]), "gif",
			func() []byte { return gifOf(s[0], s[1], bytes.Repeat(join(control, pixel), s[2])) },
		)
	}
	for _, s := range [][4]int{{0, 0, 0, 0}, {0, 0, 0, 5}, {60_000, 60_000, 1, 1}, {0, 0, 65_535, 65_535},
		{65_535, 65_535, 65_535, 65_535}} {
		c.add("gif frames", fmt.Sprintf("gif frame %v", s), "gif", func() []byte {
			return gifOf(10, 10, bytes.Repeat(gifFrame(s[0], s[1], s[2], s[3], 0, 2, gifPixel), 50))
		})
	}
	for _, s := range [][2]int{{0, 0}, {10, 0}, {0, 10}} {
		c.add("gif frames", fmt.Sprintf("gif canvas %v", s), "gif", func() []byte { return gifOf(s[0], s[1], pixel) })
	}
	for _, n := range []int{100, 3_000, 30_000} {
		c.add(
			"gif lzw", fmt.Sprintf("gif lzw bomb %d", n), "gif",
			func() []byte { return gifOf(9_000, 9_000, gifFrame(0, 0, 9_000, 9_000, 0, 2, lzwZeros(n))) },
		)
		c.add("gif lzw", fmt.Sprintf("gif lzw bomb %d in 10 frames", n), "gif", func() []byte {
			return gifOf(2_000, 2_000, bytes.Repeat(gifFrame(0, 0, 2_000, 2_000, 0x40, 2, lzwZeros(n)), 10))
		})
	}
	for size := range 14 {
		c.add(
			"gif lzw", fmt.Sprintf("gif code size %d", size), "gif",
			func() []byte { return gifOf(64, 64, gifFrame(0, 0, 64, 64, 0, byte(size), noise("lzw", 600))) },
		)
	}
	c.add("gif flood", "gif comments of 10 MB", "gif", func() []byte {
		return gifOf(
			1, 1, []byte{0x21, 0xfe},
			bytes.Repeat(append([]byte{255}, bytes.Repeat([]byte("x"), 255)...), 40_000), []byte{0}, pixel,
		)
	})
	c.add(
		"gif flood", "gif 200000 control extensions", "gif",
		func() []byte { return gifOf(1, 1, bytes.Repeat(control, 200_000), pixel) },
	)
	c.add(
		"gif flood", "gif 1000000 empty comments", "gif",
		func() []byte { return gifOf(1, 1, bytes.Repeat([]byte{0x21, 0xfe, 0}, 1_000_000), pixel) },
	)
	c.add("gif flood", "gif comment of 1000000 blocks", "gif", func() []byte {
		return gifOf(1, 1, []byte{0x21, 0xfe}, bytes.Repeat([]byte{1, 'x'}, 1_000_000), []byte{0}, pixel)
	})
	c.add("gif flood", "gif loops", "gif", func() []byte {
		return gifOf(1, 1, bytes.Repeat([]byte("\x21\xff\x0bNETSCAPE2.0\x03\x01\xff\xff\x00"), 50_000), pixel)
	})
	c.add("gif flood", "gif without an end", "gif", func() []byte {
		return bytes.TrimSuffix(gifOf(5, 5, bytes.Repeat(pixel, 20), []byte{0x21, 0xfe, 255}), []byte{0x3b})
	})
	c.add(
		"gif flood", "gif of junk between blocks", "gif",
		func() []byte { return gifOf(5, 5, pixel, bytes.Repeat([]byte{0}, 1<<20), pixel) },
	)
}
