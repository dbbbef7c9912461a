package hostile

import (
	"bytes"
	"fmt"
)

// segment returns a JPEG marker with its length and at most 65,533 bytes of data.
func segment(marker byte, data []byte) []byte {
	return join([]byte{0xff, marker}, be16(len(data)+2), data)
}

// afterSOI inserts segments at the start of a JPEG.
func afterSOI(jpeg []byte, segments ...[]byte) []byte {
	if len(jpeg) < 2 {
		return nil
	}
	return join(jpeg[:2], join(segments...), jpeg[2:])
}

// manyScans returns a progressive grey JPEG in which every scan contains all blocks.
func manyScans(width, height, scans int) []byte {
	b := join([]byte{0xff, 0xd8}, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)))
	b = append(b, segment(0xc2, join([]byte{8}, be16(height, width), []byte{1, 1, 0x11, 0}))...)
	for _, class := range []byte{0x00, 0x10} {
		b = append(b, segment(0xc4, append([]byte{class, 1}, make([]byte, 16)...))...)
	}
	b = append(b, join(segment(0xda, []byte{1, 1, 0, 0, 0, 0}), []byte{0})...)
	for range scans {
		b = append(b, join(segment(0xda, []byte{1, 1, 0, 1, 63, 0}), []byte{0})...)
	}
	return append(b, 0xff, 0xd9)
}

func jpegFiles(c *corpus, s Seeds) {
	for _, d := range [][3]int{{8_000, 8_000, 2_000}, {65_500, 1_500, 500}, {65_500, 65_500, 1}, {200, 200, 50_000},
		{2_000, 2_000, 10_000}} {
		c.add(
			"jpeg scans", fmt.Sprintf("jpeg %dx%d in %d scans", d[0], d[1], d[2]), "jpg",
			func() []byte { return manyScans(d[0], d[1], d[2]) },
		)
	}
	jpeg := s["jpg"]
	if jpeg == nil {
		return
	}
	sof := func(value ...int) func() []byte {
		return func() []byte { return replaced(jpeg, "\xff\xc0", 3, be16(value...)) }
	}
	for _, d := range [][2]int{{65_500, 65_500}, {0, 48}, {1, 65_500}, {65_500, 1}, {9_999, 9_999}} {
		c.add("jpeg lying", fmt.Sprintf("jpeg says %dx%d", d[0], d[1]), "jpg", sof(d[1], d[0]))
	}
	for n := range 6 {
		c.add(
			"jpeg lying", fmt.Sprintf("jpeg with %d components", n*50), "jpg",
			func() []byte { return replaced(jpeg, "\xff\xc0", 7, []byte{byte(n * 50)}) },
		)
		c.add("jpeg lying", fmt.Sprintf("jpeg sampling %d", n), "jpg", func() []byte {
			return replaced(jpeg, "\xff\xc0", 9, []byte{[]byte{0x00, 0x44, 0xff, 0x14, 0x41, 0x33}[n]})
		})
	}
	for _, marker := range []byte{0xc1, 0xc3, 0xc9, 0xca, 0xcf} {
		c.add("jpeg lying", fmt.Sprintf("jpeg process %x", marker), "jpg", func() []byte {
			b := bytes.Clone(jpeg)
			if at := bytes.Index(b, []byte("\xff\xc0")); at >= 0 {
				b[at+1] = marker
			}
			return b
		})
	}
	flood := func(name string, marker byte, data []byte, n int) {
		c.add(
			"jpeg flood", "jpeg "+name, "jpg",
			func() []byte { return afterSOI(jpeg, bytes.Repeat(segment(marker, data), n)) },
		)
	}
	flood("20000 comments", 0xfe, []byte("x"), 20_000)
	flood("comments of 60 kB", 0xfe, bytes.Repeat([]byte("x"), 60_000), 150)
	flood("empty app1", 0xe1, nil, 20_000)
	flood(
		"xmp segments", 0xe1,
		append([]byte("http://ns.adobe.com/xap/1.0/\x00"), bytes.Repeat([]byte("<"), 60_000)...), 100,
	)
	flood("icc segments of one number", 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), noise("icc", 60_000)...), 100)
	flood(
		"iptc segments", 0xed,
		append([]byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00\xff\xff\xff\xff"), noise("iptc", 60_000)...), 50,
	)
	flood("huffman tables", 0xc4, append([]byte{0x00, 1}, make([]byte, 16)...), 20_000)
	flood("quantisation tables", 0xdb, append([]byte{0}, bytes.Repeat([]byte{255}, 64)...), 20_000)
	flood("restart intervals", 0xdd, be16(1), 20_000)
	c.add(
		"jpeg flood", "jpeg 20000 app1 with junk between", "jpg",
		func() []byte { return afterSOI(jpeg, bytes.Repeat(append(segment(0xe1, nil), 0), 20_000)) },
	)
	c.add(
		"jpeg flood", "jpeg a megabyte of fill bytes", "jpg",
		func() []byte { return afterSOI(jpeg, bytes.Repeat([]byte{0xff}, 1<<20)) },
	)
	c.add("jpeg flood", "jpeg 255 icc segments", "jpg", func() []byte {
		var b []byte
		for n := 1; n <= 255; n++ {
			b = append(
				b,
				segment(0xe2, join([]byte("ICC_PROFILE\x00"), []byte{byte(n), 255}, noise("icc255", 40_000)))...)
		}
		return afterSOI(jpeg, b)
	})
	c.add("jpeg flood", "jpeg restarts in the data", "jpg", func() []byte {
		return join(jpeg[:len(jpeg)-2], bytes.Repeat([]byte{0xff, 0xd0}, 500_000), []byte{0xff, 0xd9})
	})
	c.add("jpeg flood", "jpeg pictures one behind the other", "jpg", func() []byte { return bytes.Repeat(jpeg, 500) })
}
