package pixels

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// painted returns a picture with flat areas, slopes and noise, so that every filter is the best of some rows.
func painted(width, height, bands int) Picture {
	r := rand.New(rand.NewPCG(1, uint64(width*height*bands)))
	p := Picture{
		Pixels:   make([]byte, width*height*bands),
		Width:    width,
		Height:   height,
		Bands:    bands,
		PerMeter: [2]uint32{2835, 1000},
	}
	for n := range p.Pixels {
		x, y, b := n/bands%width, n/bands/width, n%bands
		switch y / 3 % 5 {
		case 0:
			p.Pixels[n] = byte(200 - 40*b)
		case 1:
			p.Pixels[n] = byte(3*x + 50*b)
		case 2:
			p.Pixels[n] = byte(5*y + x%7*30)
		case 3:
			p.Pixels[n] = byte(2*x + 2*y + r.IntN(5))
		default:
			p.Pixels[n] = byte(r.IntN(256))
		}
	}
	return p
}

// decoded returns what this package decodes; ok is false where it leaves the file to others.
func decoded(t *testing.T, file []byte) (p Picture, ok bool) {
	t.Helper()
	f, ok := ParsePNG(file)
	if !ok {
		return p, false
	}
	buffer, stop := make([]byte, f.Buffer()), int32(0)
	if f.Decode(buffer, &stop) != nil {
		return p, false
	}
	return Picture{Pixels: buffer[:f.Row()*f.Height], Width: f.Width, Height: f.Height, Bands: f.Bands}, true
}

// goImage returns the picture as the standard library's, for files of another encoder.
func goImage(p Picture) image.Image {
	bounds := image.Rect(0, 0, p.Width, p.Height)
	if p.Bands == 1 {
		return &image.Gray{Pix: p.Pixels, Stride: p.Width, Rect: bounds}
	}
	img := image.NewNRGBA(bounds)
	for n := range p.Width * p.Height {
		v := p.Pixels[n*p.Bands:]
		c := color.NRGBA{v[0], v[1%p.Bands], v[2%p.Bands], 255}
		if p.Bands == 4 {
			c.A = v[3]
		}
		img.SetNRGBA(n%p.Width, n/p.Width, c)
	}
	return img
}

// TestPNGOfAnotherEncoder decodes files of the standard library's, whose chunks of pixels are several.
func TestPNGOfAnotherEncoder(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 40}, {40, 1}, {2, 3}, {5, 31}, {333, 97}} {
		for _, bands := range []int{1, 3, 4} {
			for _, level := range []png.CompressionLevel{png.NoCompression, png.BestSpeed, png.DefaultCompression} {
				want := painted(size[0], size[1], bands)
				var b bytes.Buffer
				if err := (&png.Encoder{CompressionLevel: level}).Encode(&b, goImage(want)); err != nil {
					t.Fatal(err)
				}
				got, ok := decoded(t, b.Bytes())
				if !ok || got.Bands != bands || !bytes.Equal(got.Pixels, want.Pixels) {
					t.Errorf("%v, %d bands, level %d: decoded: %v, and the pixels differ", size, bands, level, ok)
				}
			}
		}
	}
}

// TestPNGRoundTrip reads files of EncodePNG with the standard library and with this package.
func TestPNGRoundTrip(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 40}, {40, 1}, {3, 2}, {5, 31}, {333, 97}} {
		for bands := 1; bands <= 4; bands++ {
			for _, level := range []int{0, 1, 6, 9} {
				want := painted(size[0], size[1], bands)
				file := encoded(EncodePNG(want, level, new(int32)))
				if img, err := png.Decode(bytes.NewReader(file)); err != nil || img.Bounds().Dx() != size[0] ||
					img.Bounds().Dy() != size[1] {
					t.Errorf("%v, %d bands, level %d: %v", size, bands, level, err)
					continue
				}
				if got, ok := decoded(t, file); ok && !bytes.Equal(got.Pixels, want.Pixels) {
					t.Errorf("%v, %d bands, level %d: other pixels", size, bands, level)
				} else if !ok && size[0] > 100 { // small ones have a palette
					t.Errorf("%v, %d bands, level %d: not decoded", size, bands, level)
				}
			}
		}
	}
}

// fewColors returns a picture of that many colors, of which every third is not opaque if there are four bands.
func fewColors(colors, bands int) Picture {
	p := Picture{Pixels: make([]byte, 64*50*bands), Width: 64, Height: 50, Bands: bands}
	for n := range 64 * 50 {
		v := p.Pixels[n*bands:]
		c := (n*7 + n/64) % colors
		v[0], v[1], v[2] = byte(c), byte(c*3), byte(255-c)
		if bands == 4 {
			v[3] = 255
			if c%3 == 1 {
				v[3] = byte(c)
			}
		}
	}
	return p
}

// TestPalette checks that few colors make a palette of as few bits as they need, and that the pixels stay what they
// are.
func TestPalette(t *testing.T) {
	for colors, bits := range map[int]byte{1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 16: 4, 17: 8} {
		for _, bands := range []int{3, 4} {
			want := fewColors(colors, bands)
			file := encoded(EncodePNG(want, 6, new(int32)))
			if file[24] != bits || file[25] != 3 {
				t.Errorf(
					"%d colors, %d bands: %d bits of the color type %d, expected a palette of %d", colors,
					bands, file[24], file[25], bits,
				)
			}
			if clear := bytes.Contains(file, []byte("tRNS")); clear != (bands == 4) {
				t.Errorf("%d colors, %d bands: tRNS: %v", colors, bands, clear)
			}
			img, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			for n := range 64 * 50 {
				v, got := want.Pixels[n*bands:], color.NRGBAModel.Convert(img.At(n%64, n/64)).(color.NRGBA)
				if bands == 4 && v[3] == 0 {
					continue // the model has no color there
				}
				if got.R != v[0] || got.G != v[1] || got.B != v[2] || bands == 4 && got.A != v[3] {
					t.Fatalf("%d colors, %d bands: pixel %d is %v, expected %v", colors, bands, n, got, v[:bands])
				}
			}
		}
	}
	if file := encoded(EncodePNG(painted(64, 50, 3), 6, new(int32))); file[25] != 2 {
		t.Errorf("many colors have the color type %d", file[25])
	}
}

// TestPaletteOfLastPixel keeps a color that only the last pixel has.
func TestPaletteOfLastPixel(t *testing.T) {
	for _, bands := range []int{3, 4} {
		want := Picture{Pixels: bytes.Repeat([]byte{200}, 9*bands), Width: 3, Height: 3, Bands: bands}
		want.Pixels[8*bands] = 10
		img, err := png.Decode(bytes.NewReader(encoded(EncodePNG(want, 6, new(int32)))))
		if err != nil {
			t.Fatal(err)
		}
		if got := color.NRGBAModel.Convert(img.At(2, 2)).(color.NRGBA); got.R != 10 || got.G != 200 {
			t.Errorf("of %d bands, the last pixel is %v", bands, got)
		}
	}
}

// rebuilt returns the file with change made to its chunks, and right checksums.
func rebuilt(t *testing.T, file []byte, change func(kind string, data []byte) (string, []byte)) []byte {
	t.Helper()
	out := []byte(pngSignature)
	for rest := file[8:]; len(rest) >= 12; {
		size := binary.BigEndian.Uint32(rest)
		kind, data := change(string(rest[4:8]), bytes.Clone(rest[8:8+size]))
		if kind != "" {
			out = appendChunk(out, kind, data)
		}
		rest = rest[12+size:]
	}
	return out
}

// TestPNGLeftToOthers holds what is not decoded here: other kinds of PNG, and damage.
func TestPNGLeftToOthers(t *testing.T) {
	good := encoded(EncodePNG(painted(80, 60, 4), 6, new(int32)))
	if _, ok := decoded(t, good); !ok {
		t.Fatal("the file that is changed is not decoded")
	}
	header := func(at int, to byte) []byte {
		return rebuilt(t, good, func(kind string, data []byte) (string, []byte) {
			if kind == "IHDR" {
				data[at] = to
			}
			return kind, data
		})
	}
	without := func(name string) []byte {
		return rebuilt(t, good, func(kind string, data []byte) (string, []byte) {
			if kind == name {
				return "", nil
			}
			return kind, data
		})
	}
	pixels := func(change func([]byte) []byte) []byte {
		return rebuilt(t, good, func(kind string, data []byte) (string, []byte) {
			if kind == "IDAT" {
				data = change(data)
			}
			return kind, data
		})
	}
	emptyChunk := appendChunk(nil, "IDAT", nil)
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 4
	for name, file := range map[string][]byte{
		"empty": nil, "signature alone": good[:8], "another": []byte("\xFF\xD8\xFF\xE0 and so on, for some bytes"),
		"cut off": good[:len(good)-30], "without an end": good[:len(good)-12],
		"a wrong checksum": flipped, "16 bits": header(8, 16), "4 bits": header(8, 4), "a palette": header(9, 3),
		"no such color type": header(9, 5), "interlaced": header(12, 1),
		"another compression": header(10, 1), "other filters": header(11, 1), "no width": header(3, 0),
		"wider": header(3, 81), "higher": header(7, 61), "lower": header(7, 59), "vast": header(0, 0x7F),
		"no header": without("IHDR"), "no pixels": without("IDAT"),
		"pixels cut off":        pixels(func(b []byte) []byte { return b[:len(b)/2] }),
		"more after the pixels": pixels(func(b []byte) []byte { return append(b, 1, 2, 3) }),
		"no pixels in two chunks": bytes.Replace(pixels(func([]byte) []byte { return nil }), emptyChunk,
			append(bytes.Clone(emptyChunk), emptyChunk...), 1),
		"no pixels in the chunk": pixels(func([]byte) []byte { return nil }),
		"another sum":            pixels(func(b []byte) []byte { b[len(b)-1] ^= 1; return b }),
		"a transparent color": rebuilt(t, good, func(kind string, data []byte) (string, []byte) {
			if kind == "pHYs" {
				return "tRNS", []byte{0, 0, 0, 0, 0, 0}
			}
			return kind, data
		}),
		"an unknown critical chunk": rebuilt(t, good, func(kind string, data []byte) (string, []byte) {
			if kind == "pHYs" {
				return "QQqQ", data
			}
			return kind, data
		}),
	} {
		if _, ok := decoded(t, file); ok {
			t.Errorf("%s: decoded", name)
		}
	}
}

// TestPNGWrongFilter refuses a row with an unknown filter.
func TestPNGWrongFilter(t *testing.T) {
	stop := int32(0)
	for _, filter := range []byte{4, 5, 255} {
		rows := []byte{filter, 1, 2, 3}
		data := zlibStored(rows)
		f := PNG{Width: 1, Height: 1, Bands: 3, deflated: [][]byte{data[:3], data[3:]}}
		if ok := f.Decode(make([]byte, 4), &stop) == nil; ok != (filter == 4) {
			t.Errorf("filter %d: decoded: %v", filter, ok)
		}
	}
	stop = 1
	data := zlibStored([]byte{0, 1, 2, 3})
	if (PNG{Width: 1, Height: 1, Bands: 3, deflated: [][]byte{data}}).Decode(make([]byte, 4), &stop) == nil {
		t.Error("decoded although it was to stop")
	}
}

// zlibStored returns data of less than 64 KiB in zlib's format, not compressed.
func zlibStored(data []byte) []byte {
	n := len(data)
	out := append([]byte{0x78, 0x01, 1, byte(n), byte(n >> 8), ^byte(n), ^byte(n >> 8)}, data...)
	a, b := uint32(1), uint32(0)
	for _, v := range data {
		a = (a + uint32(v)) % 65521
		b = (b + a) % 65521
	}
	return binary.BigEndian.AppendUint32(out, b<<16|a)
}

// TestPNGStopped has nothing written once it is to stop, with a palette and without.
func TestPNGStopped(t *testing.T) {
	stop := int32(1)
	if file := encoded(EncodePNG(painted(64, 50, 3), 6, &stop)); file != nil {
		t.Errorf("%d bytes", len(file))
	}
	if _, err := deflate(make([]byte, 64), 8, 8, 1, true, 6, &stop); err != ErrStopped {
		t.Errorf("numbers of a palette: %v", err)
	}
}
