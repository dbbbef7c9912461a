package hostile

import (
	"bytes"
	"fmt"
)

// riff returns a WebP of chunks with the correct length.
func riff(chunks ...[]byte) []byte {
	body := join(append([][]byte{[]byte("WEBP")}, chunks...)...)
	return join([]byte("RIFF"), le32(len(body)), body)
}

// webpChunk returns a chunk, padded to an even length.
func webpChunk(kind string, data []byte) []byte {
	b := join([]byte(kind), le32(len(data)), data)
	if len(data)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func le24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }

// webpCanvas returns a VP8X chunk.
func webpCanvas(flags byte, width, height int) []byte {
	return webpChunk("VP8X", join([]byte{flags, 0, 0, 0}, le24(width-1), le24(height-1)))
}

// webpPixel is a lossless picture of one pixel.
var webpPixel = webpChunk("VP8L", []byte{0x2f, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 0x07, 0})

func webpFrame(x, y, width, height int, picture []byte) []byte {
	return webpChunk("ANMF", join(le24(x), le24(y), le24(width-1), le24(height-1), le24(20), []byte{0}, picture))
}

func webpFiles(c *corpus, s Seeds) {
	animation := webpChunk("ANIM", make([]byte, 6))
	for _, n := range [][3]int{{1, 1, 50_000}, {16_383, 16_383, 2}, {2_000, 2_000, 1_000}, {500, 500, 5_000},
		{16_777_216, 1, 3}} {
		c.add("animation flood", fmt.Sprintf("webp %dx%d of %d frames", n[0], n[1], n[2]), "webp", func() []byte {
			return riff(webpCanvas(2, n[0], n[1]), animation, bytes.Repeat(webpFrame(0, 0, 1, 1, webpPixel), n[2]))
		})
	}
	for _, f := range [][4]int{{5000, 5000, 1, 1}, {0, 0, 16_777_216, 16_777_216}, {0, 0, 100, 100},
		{1 << 23, 1 << 23, 1 << 23, 1 << 23}} {
		c.add("webp frames", fmt.Sprintf("webp frame %v", f), "webp", func() []byte {
			return riff(webpCanvas(2, 10, 10), animation, webpFrame(f[0], f[1], f[2], f[3], webpPixel))
		})
	}
	c.add("webp frames", "webp frame of 1x1 on 16383x16383", "webp", func() []byte {
		return riff(webpCanvas(2, 16_383, 16_383), animation, webpFrame(0, 0, 1, 1, webpPixel))
	})
	c.add("webp frames", "webp frame in a frame", "webp", func() []byte {
		frame := webpFrame(0, 0, 1, 1, webpPixel)
		for range 2_000 {
			frame = webpFrame(0, 0, 1, 1, frame)
		}
		return riff(webpCanvas(2, 10, 10), animation, frame)
	})
	c.add("webp frames", "webp frame of 500000 chunks", "webp", func() []byte {
		return riff(
			webpCanvas(2, 10, 10), animation,
			webpFrame(0, 0, 1, 1, join(bytes.Repeat(webpChunk("junk", nil), 500_000), webpPixel)),
		)
	})
	c.add("webp frames", "webp 9000 frames of 50 chunks", "webp", func() []byte {
		return riff(
			webpCanvas(2, 10, 10), animation,
			bytes.Repeat(webpFrame(0, 0, 1, 1, join(bytes.Repeat(webpChunk("junk", nil), 50), webpPixel)), 9_000),
		)
	})
	for _, kind := range []string{"ICCP", "EXIF", "XMP "} {
		c.add(
			"webp flood", "webp 10 MB of "+kind, "webp",
			func() []byte { return riff(webpCanvas(0x2c, 1, 1), webpChunk(kind, noise(kind, 10<<20)), webpPixel) },
		)
	}
	c.add("webp flood", "webp 500000 unknown chunks", "webp", func() []byte {
		return riff(webpCanvas(0, 1, 1), bytes.Repeat(webpChunk("junk", nil), 500_000), webpPixel)
	})
	webp := s["webp"]
	if webp == nil {
		return
	}
	for _, n := range []int{0, 1, 1<<32 - 1, 1<<31 - 1, 12} {
		c.add(
			"webp lying", fmt.Sprintf("webp riff says %d bytes", n), "webp",
			func() []byte { return replaced(webp, "RIFF", 0, le32(n)) },
		)
		c.add(
			"webp lying", fmt.Sprintf("webp vp8 says %d bytes", n), "webp",
			func() []byte { return replaced(webp, "WEBPVP8 ", 0, le32(n)) },
		)
	}
	for _, d := range [][2]int{{16_383, 16_383}, {0, 0}, {16_383, 1}} {
		c.add(
			"webp lying", fmt.Sprintf("webp says %dx%d", d[0], d[1]), "webp",
			func() []byte { return replaced(webp, "\x9d\x01\x2a", 0, le16(d[0], d[1])) },
		)
		c.add("webp lying", fmt.Sprintf("webp lossless says %dx%d", d[0], d[1]), "webp", func() []byte {
			return riff(
				webpChunk("VP8L", join([]byte{0x2f}, le32(max(d[0]-1, 0)|max(d[1]-1, 0)<<14), noise("vp8l", 200))),
			)
		})
	}
}
