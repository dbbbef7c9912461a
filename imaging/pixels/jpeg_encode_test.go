package pixels

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// sameFile encodes a picture with Huffman codes encoded here and by libjpeg, and compares the files.
func sameFile(t *testing.T, name string, p Picture, quality int) {
	t.Helper()
	got, want := encodeJPEG(p, quality, false, new(int32)), encodeJPEG(p, quality, true, new(int32))
	if got == nil || !bytes.Equal(got, want) {
		t.Errorf(
			"%s, %dx%dx%d, quality %d: %d bytes, libjpeg writes %d, which are others", name, p.Width,
			p.Height, p.Bands, quality, len(got), len(want),
		)
	}
}

// picturesToEncode have few coefficients, many, large ones, and some that are rare.
func picturesToEncode(r *rand.Rand, width, height, bands int) map[string]Picture {
	kinds := map[string]func(x, y int) byte{
		"flat":     func(x, y int) byte { return 77 },
		"noise":    func(x, y int) byte { return byte(r.IntN(256)) },
		"extremes": func(x, y int) byte { return byte(r.IntN(2) * 255) },
		"checks":   func(x, y int) byte { return byte((x/8 + y/8) % 2 * 255) },
		"slope":    func(x, y int) byte { return byte(x/3 + y/5) },
		"specks": func(x, y int) byte {
			if r.IntN(300) > 0 {
				return 128
			}
			return byte(128 + r.IntN(1<<(1+r.IntN(7))))
		},
	}
	all := map[string]Picture{"painted": painted(width, height, bands)}
	for name, at := range kinds {
		p := Picture{Width: width, Height: height, Bands: bands, Pixels: make([]byte, width*height*bands)}
		for n := range p.Pixels {
			p.Pixels[n] = at(n/bands%width, n/bands/width)
		}
		all[name] = p
	}
	return all
}

// TestEncodeJPEG compares files of all kinds of pictures, at sizes around those of blocks, and with more symbols than
// one part of the list has.
func TestEncodeJPEG(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 1}, {8, 8}, {9, 7}, {16, 16}, {17, 33}, {64, 3}, {235, 157}, {500, 400}} {
		for _, bands := range []int{1, 3} {
			for name, p := range picturesToEncode(r, size[0], size[1], bands) {
				for _, quality := range []int{1, 30, 80, 90, 100} {
					sameFile(t, name, p, quality)
				}
			}
		}
	}
	for _, size := range [][2]int{{65500, 2}, {1, 65500}} {
		sameFile(t, "long", picturesToEncode(r, size[0], size[1], 3)["noise"], 85)
	}
}

func TestEncodeJPEGQualities(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for quality := 1; quality <= 100; quality++ {
		for name, p := range picturesToEncode(r, 61, 47, 3) {
			sameFile(t, name, p, quality)
		}
	}
}

func TestEncodeJPEGStopped(t *testing.T) {
	stop := int32(1)
	if EncodeJPEG(painted(20, 20, 3), 80, &stop) != nil {
		t.Error("encoded although it was to stop")
	}
}

// FuzzEncodeJPEG compares files of pictures that repeat some values.
func FuzzEncodeJPEG(f *testing.F) {
	f.Add([]byte("some pixels"), uint16(40), uint16(31), uint8(80), true)
	f.Add([]byte{0, 255, 3, 255, 255, 0, 0}, uint16(1), uint16(900), uint8(100), false)
	f.Fuzz(func(t *testing.T, values []byte, width, height uint16, quality uint8, color bool) {
		p := Picture{Width: int(width)%1200 + 1, Height: int(height)%1200 + 1, Bands: 1}
		if color {
			p.Bands = 3
		}
		if len(values) == 0 || p.Width*p.Height > 1<<17 {
			return
		}
		p.Pixels = bytes.Repeat(values, p.Width*p.Height*p.Bands/len(values)+1)[:p.Width*p.Height*p.Bands]
		sameFile(t, fmt.Sprintf("%d values", len(values)), p, int(quality)%100+1)
	})
}
