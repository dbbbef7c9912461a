package truncation_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/truncation"
)

// noise is a picture of which every encoder makes many bytes, the same in every run.
func noise() *image.Paletted {
	m := image.NewPaletted(image.Rect(0, 0, 60, 40), palette.Plan9)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.IntN(256))
	}
	return m
}

func box(kind string, size int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(size+8))
	return append(append(b, kind...), make([]byte, size)...)
}

func TestCheck(t *testing.T) {
	encode := func(do func(*bytes.Buffer) error) []byte {
		var b bytes.Buffer
		if err := do(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	m := noise()
	long := append([]byte{0, 0, 0, 1, 'm', 'd', 'a', 't', 0, 0, 0, 0, 0, 0, 0, 20}, 1, 2, 3, 4)
	webp := append([]byte("RIFF\x64\x00\x00\x00WEBPVP8 "), make([]byte, 92)...)
	for _, c := range []struct {
		format imaging.Format
		data   []byte
		tail   int // bytes at the end that may be missing
	}{
		{imaging.PNG, encode(func(b *bytes.Buffer) error { return png.Encode(b, m) }), 0},
		{imaging.JPEG, encode(func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) }), 0},
		{imaging.GIF, encode(func(b *bytes.Buffer) error {
			return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{m, m}, Delay: []int{1, 1}})
		}), 1},
		{imaging.WebP, webp, 0},
		{imaging.AVIF, append(box("ftyp", 20), long...), 0},
	} {
		check := func(data []byte) error {
			return truncation.Check(c.format, bytes.NewReader(data), int64(len(data)))
		}
		if err := check(c.data); err != nil {
			t.Errorf("%s: %v", c.format, err)
		}
		if err := check(append(bytes.Clone(c.data), "trailer of a phone"...)); err != nil && c.format != imaging.AVIF {
			t.Errorf("%s with something behind it: %v", c.format, err)
		}
		passed := 0
		for n := range len(c.data) - c.tail {
			if err := check(c.data[:n]); err == nil {
				passed++
			} else if fault.CodeOf(err) != fault.CorruptImage {
				t.Errorf("%s cut at %d: %v", c.format, n, err)
			}
		}
		// between frames, between boxes
		if most := map[imaging.Format]int{imaging.GIF: 3, imaging.AVIF: 1}[c.format]; passed > most {
			t.Errorf("%s: %d cuts of %d pass", c.format, passed, len(c.data))
		}
	}
	for _, f := range []imaging.Format{imaging.JXL, imaging.TIFF, imaging.SVG} {
		if err := truncation.Check(f, bytes.NewReader([]byte{0xFF, 0x0A, 1}), 3); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	for _, data := range []string{"", "\xFF\xD8\xFF\xE0\x00\x01", "\x00\x00\x00\x02ftyp"} {
		for _, f := range []imaging.Format{imaging.JPEG, imaging.PNG, imaging.GIF, imaging.WebP, imaging.AVIF} {
			if f == imaging.AVIF && data != "" && data[0] == 0xFF {
				continue // a bare codestream, of which nothing is said
			}
			err := truncation.Check(f, bytes.NewReader([]byte(data)), int64(len(data)))
			if fault.CodeOf(err) != fault.CorruptImage {
				t.Errorf("%s of %q: %v", f, data, err)
			}
		}
	}
}

// TestSmallestFiles holds the ends of formats to the byte, on files without pictures.
func TestSmallestFiles(t *testing.T) {
	head := "GIF89a\x01\x00\x01\x00\x00\x00\x00"
	frame := "\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"
	ftyp := string(box("ftyp", 4))
	for _, c := range []struct {
		name   string
		format imaging.Format
		data   string
		whole  bool
	}{
		{"an empty segment", imaging.JPEG, "\xff\xd8\xff\xfe\x00\x02\xff\xd9", true},
		{"a segment of a byte", imaging.JPEG, "\xff\xd8\xff\xfe\x00\x03x\xff\xd9", true},
		{"a segment shorter than its length", imaging.JPEG, "\xff\xd8\xff\xfe\x00\x01\xff\xd9", false},
		{"a segment without an end of image", imaging.JPEG, "\xff\xd8\xff\xfe\x00\x02", false},
		{"markers without a length", imaging.JPEG, "\xff\xd8\xff\xd0\xff\xd7\xff\x01\xff\xd8\xff\xd9", true},
		{"a marker with a length after those", imaging.JPEG, "\xff\xd8\xff\xcf\x00\x02\xff\xda\x00\x02\xff\xd9", true},
		{"a marker that lacks its length", imaging.JPEG, "\xff\xd8\xff\xcf\xff\xd9", false},
		{"filled up markers", imaging.JPEG, "\xff\xd8\xff\xff\xff\xd9", true},
		{"no frame and no trailer", imaging.GIF, head, false},
		{"no frame", imaging.GIF, head + ";", true},
		{"a frame without a trailer", imaging.GIF, head + frame, true},
		{"two frames without a trailer", imaging.GIF, head + frame + frame, true},
		{"half a frame", imaging.GIF, head + frame[:12], false},
		{"an extension without a frame", imaging.GIF, head + "\x21\xfe\x01x\x00", false},
		{"an empty box", imaging.AVIF, ftyp + string(box("free", 0)), true},
		{"a box up to the end", imaging.AVIF, ftyp + "\x00\x00\x00\x00mdat" + "anything", true},
		{"a box shorter than its head", imaging.AVIF, ftyp + "\x00\x00\x00\x07mdat", false},
		{"a long box", imaging.AVIF, ftyp + "\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x11x", true},
		{"half a long box", imaging.AVIF, ftyp + "\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x12x", false},
		{"a long box shorter than its head", imaging.AVIF,
			ftyp + "\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x0fx", false},
		{"half a box of eight bytes", imaging.AVIF, ftyp + "\x00\x00\x00\x10mdat", false},
	} {
		err := truncation.Check(c.format, strings.NewReader(c.data), int64(len(c.data)))
		if (err == nil) != c.whole || err != nil && fault.CodeOf(err) != fault.CorruptImage {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
