package pixels

import (
	"bytes"
	"fmt"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
)

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

// TestEncodeJPEG encodes all kinds of pictures, at sizes around those of blocks, and compares them as they are decoded.
// A test in imaging/vips holds that the files equal those of libvips' saver.
func TestEncodeJPEG(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 1}, {8, 8}, {9, 7}, {17, 33}, {64, 3}, {235, 157}, {65500, 2}, {1, 65500}} {
		for _, bands := range []int{1, 3} {
			for name, p := range picturesToEncode(r, size[0], size[1], bands) {
				for _, quality := range []int{1, 80, 90, 100} {
					readBack(t, fmt.Sprintf("%s of %d bands, quality %d", name, bands, quality), p, quality)
				}
			}
		}
	}
}

// readBack encodes a picture and decodes it: at quality 100 it is nearly the same.
func readBack(t *testing.T, name string, p Picture, quality int) {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(encoded(EncodeJPEG(p, quality, new(int32)))))
	if err != nil || img.Bounds().Dx() != p.Width || img.Bounds().Dy() != p.Height {
		t.Errorf("%s, %dx%d: %v", name, p.Width, p.Height, err)
		return
	}
	for n := 0; n < len(p.Pixels) && quality == 100; n += p.Bands {
		at := n / p.Bands
		got := color.NRGBAModel.Convert(img.At(at%p.Width, at/p.Width)).(color.NRGBA)
		for b, v := range []byte{got.R, got.G, got.B}[:p.Bands] {
			if want := p.Pixels[n+b]; max(v, want)-min(v, want) > 5 {
				t.Errorf("%s, %dx%d: sample %d is %d, expected %d", name, p.Width, p.Height, n+b, v, want)
				return
			}
		}
	}
}

// TestEncodeJPEGStopped stops the encoder before it begins and at any time after that.
func TestEncodeJPEGStopped(t *testing.T) {
	stop := int32(1)
	if encoded(EncodeJPEG(painted(20, 20, 3), 80, &stop)) != nil {
		t.Error("encoded although it was to stop")
	}
	p := painted(900, 700, 3)
	for n := range 30 {
		stop, ended := new(int32), make(chan []byte)
		go func() { ended <- encoded(EncodeJPEG(p, 80, stop)) }()
		for range n * n * 10 {
			runtime.Gosched()
		}
		atomic.StoreInt32(stop, 1)
		if file := <-ended; file != nil && !bytes.HasSuffix(file, []byte{0xFF, 0xD9}) {
			t.Errorf("half a file of %d bytes", len(file))
		}
	}
}

// FuzzEncodeJPEG reads back pictures that repeat some values.
func FuzzEncodeJPEG(f *testing.F) {
	f.Add([]byte("some pixels"), uint16(40), uint16(31), uint8(80), true)
	f.Add([]byte{0, 255, 3, 255, 255, 0, 0}, uint16(1), uint16(900), uint8(100), false)
	f.Fuzz(func(t *testing.T, values []byte, width, height uint16, quality uint8, isColor bool) {
		p := Picture{Width: int(width)%1200 + 1, Height: int(height)%1200 + 1, Bands: 1}
		if isColor {
			p.Bands = 3
		}
		if len(values) == 0 || p.Width*p.Height > 1<<17 {
			return
		}
		p.Pixels = bytes.Repeat(values, p.Width*p.Height*p.Bands/len(values)+1)[:p.Width*p.Height*p.Bands]
		readBack(t, fmt.Sprintf("%d values", len(values)), p, min(int(quality)%100+1, 99))
	})
}
