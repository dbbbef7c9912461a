package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// jxlBare returns the start of a bare codestream for a square with the given side.
func jxlBare(side uint32) []byte {
	// Not small, 30 bits, ratio 1:1, and defaults for the rest.
	word := uint64(3)<<1 | uint64(side-1)<<3 | uint64(1)<<33 | uint64(1)<<36
	return append(binary.LittleEndian.AppendUint64([]byte{0xff, 0x0a}, word), make([]byte, 200)...)
}

func jxlBoxes(boxes ...[]byte) []byte {
	start := [][]byte{box("JXL ", []byte("\r\n\x87\n")), box("ftyp", []byte("jxl "), be32(0), []byte("jxl "))}
	return join(append(start, boxes...)...)
}

func jxlFiles(c *corpus, s Seeds) {
	add := func(name string, make func() []byte) { c.add("jxl", "jxl "+name, "jxl", make) }
	for _, side := range []uint32{1 << 30, 65_536, 20_000, 9_999, 100} {
		add(fmt.Sprintf("bare %d", side), func() []byte { return jxlBare(side) })
		add(fmt.Sprintf("boxed %d", side), func() []byte { return jxlBoxes(box("jxlc", jxlBare(side))) })
	}
	for n := range 8 {
		add(
			fmt.Sprintf("bare noise %d", n),
			func() []byte { return append([]byte{0xff, 0x0a}, noise(fmt.Sprint("jxl", n), 3000)...) },
		)
	}
	add("200000 boxes", func() []byte { return jxlBoxes(bytes.Repeat(box("junk"), 200_000), box("jxlc", jxlBare(8))) })
	add("100000 parts", func() []byte { return jxlBoxes(bytes.Repeat(box("jxlp", be32(0)), 100_000)) })
	add("parts in no order", func() []byte {
		return jxlBoxes(box("jxlp", be32(9), []byte{0xff}), box("jxlp", be32(1<<31), []byte{0x0a}))
	})
	add("box of 2^63", func() []byte { return jxlBoxes(be32(1), []byte("jxlc"), bytes.Repeat([]byte{0x7f}, 8)) })
	add("box smaller than its head", func() []byte { return jxlBoxes(be32(3), []byte("jxlc")) })
	add("20000 boxes deep", func() []byte { return jxlBoxes(nested("jumb", 20_000)) })
	jxl := s["jxl"]
	if jxl == nil {
		return
	}
	// A brotli stream of metablocks that each copy the previous output expands enormously.
	add(
		"brotli exif of noise",
		func() []byte { return jxlBoxes(box("brob", []byte("Exif"), noise("brob", 4_000)), box("jxlc", jxl)) },
	)
	add("brotli exif of empty blocks", func() []byte {
		return jxlBoxes(box("brob", []byte("Exif"), bytes.Repeat([]byte{0x06}, 2<<20)), box("jxlc", jxl))
	})
	add("1000 brotli boxes", func() []byte {
		return jxlBoxes(bytes.Repeat(box("brob", []byte("xml "), []byte{0x06}), 1_000), box("jxlc", jxl))
	})
	add(
		"exif of 16 MB",
		func() []byte { return jxlBoxes(box("Exif", be32(0), noise("jxl exif", 16<<20)), box("jxlc", jxl)) },
	)
	add(
		"exif offset beyond",
		func() []byte { return jxlBoxes(box("Exif", be32(1<<31), []byte("II*\x00")), box("jxlc", jxl)) },
	)
	add(
		"reconstruction of noise",
		func() []byte { return jxlBoxes(box("jbrd", noise("jbrd", 5_000)), box("jxlc", jxl)) },
	)
	add("twice", func() []byte { return jxlBoxes(box("jxlc", jxl), box("jxlc", jxl)) })
}
