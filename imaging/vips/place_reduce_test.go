package vips

import (
	"fmt"
	stdimage "image"
	"image/color"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
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

// TestReductionTakesLittleMemory makes a thumbnail of a large picture that is decoded meanwhile: a few of its rows are
// in memory, not most.
func TestReductionTakesLittleMemory(t *testing.T) {
	const side = 7000
	source := memorySource(pngOf(t, stdimage.NewGray(stdimage.Rect(0, 0, side, side))))
	defer source.close()
	lazy, err := source.load("pngload_source", "access=sequential")
	if err != nil {
		t.Fatal(err)
	}
	defer lazy.close()
	small, err := lazy.reduceFrames(imaging.Part{Width: side, Height: side}, 10, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer small.close()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak counts from here
		t.Skip(err)
	}
	before := residentPeak(t)
	memory, err := small.copyMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer memory.close()
	if kilobytes := residentPeak(t) - before; kilobytes > side*side/1000/2 {
		t.Errorf("%d kB for a picture of %d kB", kilobytes, side*side/1000)
	}
}

func residentPeak(t *testing.T) (kilobytes int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes
}

// TestReductionOfManyRows averages rows before it weighs them, which moves nothing.
func TestReductionOfManyRows(t *testing.T) {
	e := open(t)
	w := swell{width: 1203, height: 2405, period: 800}
	data := libvipsMakes(t, e, pngOf(t, w.picture()), imaging.PNG, "interlace=true")
	for path, v := range map[string]seen{
		"40x0":                        {width: w.width, height: w.height},
		"3x5:1203x2400/stretch/30x60": {left: 3, top: 5, width: 1200, height: 2395},
	} {
		got, err := unpacked(processed(e, path+"/filters:format(png)", data, t))
		if err != nil {
			t.Fatal(err)
		}
		if m := accuracyOf(w, v, got); m.off > 0.1 || m.psnr < 45 {
			t.Errorf("%s: %.1f dB, off by %.3f pixels", path, m.psnr, m.off)
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
