package vips

import (
	stdimage "image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestFramesKeepApart resizes frames of black and white in turn: no row may be grey.
func TestFramesKeepApart(t *testing.T) {
	for _, size := range [][2]int{{20, 13}, {31, 31}, {7, 5}, {1, 1}, {64, 10}} {
		stacked := stdimage.NewNRGBA(stdimage.Rect(0, 0, 64, 6*48))
		for y := range 6 * 48 {
			for x := range 64 {
				v := uint8(255 * (y / 48 % 2))
				stacked.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
			}
		}
		out := reducedFrames(t, stacked, 48, size[0], size[1])
		for y := range 6 * size[1] {
			want := uint8(255 * (y / size[1] % 2))
			for x := range size[0] {
				if c := at(out, x, y); c != (color.NRGBA{want, want, want, 255}) {
					t.Fatalf("%v: row %d of frame %d is %v", size, y%size[1], y/size[1], c)
				}
			}
		}
	}
}

// TestFramesAreReducedAsStills compares each frame with what libvips makes of it alone.
func TestFramesAreReducedAsStills(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	stacked := photograph(120, 4*90)
	for n := 3; n < len(stacked.Pix); n += 4 {
		stacked.Pix[n] = uint8(200 + random.IntN(56))
	}
	for _, size := range [][2]int{{100, 80}, {60, 45}, {37, 23}, {15, 11}} {
		out := reducedFrames(t, stacked, 90, size[0], size[1])
		for n := range 4 {
			source := memorySource(pngOf(t, stacked.SubImage(stdimage.Rect(0, n*90, 120, n*90+90))))
			defer source.close()
			lazy, err := source.load("pngload_source", "")
			if err != nil {
				t.Fatal(err)
			}
			defer lazy.close()
			alone, err := lazy.resize(size[0], size[1])
			if err != nil {
				t.Fatal(err)
			}
			defer alone.close()
			pixels, err := alone.pixels()
			if err != nil {
				t.Fatal(err)
			}
			sum := 0
			for y := range size[1] {
				for x := range size[0] {
					a, b := at(out, x, n*size[1]+y), pixels.NRGBAAt(x, y)
					for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
						sum += max(d, -d)
					}
				}
			}
			if mean := float64(sum) / float64(4*size[0]*size[1]); mean > 1.5 {
				t.Errorf("%v: frame %d is %.2f levels from libvips' own", size, n, mean)
			}
		}
	}
}

func reducedFrames(t *testing.T, stacked stdimage.Image, frame, width, height int) stdimage.Image {
	t.Helper()
	source := memorySource(pngOf(t, stacked))
	defer source.close()
	lazy, err := source.load("pngload_source", "access=sequential")
	if err != nil {
		t.Fatal(err)
	}
	defer lazy.close()
	frames, err := lazy.withFrames(frame)
	if err != nil {
		t.Fatal(err)
	}
	defer frames.close()
	small, err := frames.premultiplied(func(i *image) (*image, error) {
		return i.reduceFrames(imaging.Part{Width: float64(i.width()), Height: float64(frame)}, width, height)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer small.close()
	if small.pages() != stacked.Bounds().Dy()/frame || small.pageHeight() != height {
		t.Errorf("%d frames of %d rows", small.pages(), small.pageHeight())
	}
	pixels, err := small.pixels()
	if err != nil {
		t.Fatal(err)
	}
	return pixels
}
