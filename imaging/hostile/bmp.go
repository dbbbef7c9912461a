package hostile

import (
	"bytes"
	"fmt"
)

// bmpOf returns a BMP with a header of 40 bytes.
func bmpOf(width, height, bits, compression, colours int, data []byte) []byte {
	header := join(le32(40, width, height), le16(1, bits), le32(compression, len(data), 2835, 2835, colours, 0))
	return join([]byte("BM"), le32(54+len(data)), le32(0), le32(54), header, data)
}

func bmpFiles(c *corpus, _ Seeds) {
	for _, d := range [][5]int{{8, 8, 24, 0, 0}, {1<<31 - 1, 1<<31 - 1, 24, 0, 0}, {60_000, 60_000, 32, 0, 0},
		{10_000_000, 1, 8, 1, 0}, {1, 10_000_000, 8, 1, 0}, {9_999, 9_999, 8, 1, 256}, {9_999, 9_999, 4, 2, 16},
		{8, -8, 24, 0, 0}, {-8, 8, 24, 0, 0}, {8, 8, 0, 0, 0}, {8, 8, 8, 0, 1<<31 - 1}, {8, 8, 32, 3, 0},
		{0, 0, 24, 0, 0}, {8, 8, 24, 4, 0}, {8, 8, 24, 5, 0}} {
		c.add(
			"bmp", fmt.Sprintf("bmp %v", d), "bmp",
			func() []byte { return bmpOf(d[0], d[1], d[2], d[3], d[4], bytes.Repeat([]byte{255, 0}, 2_000)) },
		)
	}
}
