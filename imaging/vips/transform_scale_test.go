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
	"github.com/safelight/safelight/imaging/pixels"
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
					for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B),
						int(a.A) - int(b.A)} {
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

// TestStripsAreScaledAsAWhole compares a picture, and frames, that are scaled while they are read with the same in
// memory: the bytes are equal, or differ by a level where boxes are averaged first.
func TestStripsAreScaledAsAWhole(t *testing.T) {
	stop, release := stopFlag(t.Context())
	defer release()
	random := rand.New(rand.NewPCG(5, 6))
	for _, alpha := range []bool{false, true} {
		photo := photograph(419, 1900)
		for n := 3; alpha && n < len(photo.Pix); n += 4 {
			photo.Pix[n] = uint8(random.IntN(256))
		}
		data := pngOf(t, photo)
		for _, c := range []struct {
			part          imaging.Part
			width, height int
			frame         int // its height; 0: a still
			most          int // levels
		}{
			{imaging.Part{Width: 419, Height: 1900}, 300, 1360, 0, 0},
			{imaging.Part{Left: 3.5, Top: 7.25, Width: 400, Height: 1880.5}, 200, 940, 0, 0},
			{imaging.Part{Width: 419, Height: 1900}, 99, 411, 0, 0},
			{imaging.Part{Top: -0.5, Width: 419, Height: 1900}, 100, 300, 0, 0},
			{imaging.Part{Width: 419, Height: 1900}, 40, 190, 0, 1},
			{imaging.Part{Width: 419, Height: 1900}, 12, 50, 0, 1},
			{imaging.Part{Width: 419, Height: 380}, 210, 190, 380, 0},
			{imaging.Part{Left: 10, Top: 20, Width: 300, Height: 300}, 20, 20, 380, 0},
		} {
			source := memorySource(data)
			defer source.close()
			lazy, err := source.load("pngload_source", "access=sequential")
			if err != nil {
				t.Fatal(err)
			}
			defer lazy.close()
			if c.frame > 0 {
				if lazy, err = lazy.withFrames(c.frame); err != nil {
					t.Fatal(err)
				}
				defer lazy.close()
			}
			if bands := 3; !alpha {
				if lazy, err = lazy.firstBands(bands); err != nil {
					t.Fatal(err)
				}
				defer lazy.close()
			}
			got, err := lazy.scaled(partOf(c.part, false), c.width, c.height, stop)
			if err != nil {
				t.Fatal(err)
			}
			defer got.close()
			if got, err = got.copyMemory(); err != nil {
				t.Fatal(err)
			}
			defer got.close()
			samples := samplesOf(got)
			for n := range got.pages() {
				want := scaledInMemory(t, data, alpha, n*c.frame, c.frame, c.part, c.width, c.height)
				off := 0
				for k, v := range want {
					d := int(v) - int(samples[n*len(want)+k])
					if alpha && c.most > 0 && k%4 < 3 { // what is seen of the color
						d = d * int(want[k|3]) / 255
					}
					off = max(off, d, -d)
				}
				if off > c.most {
					t.Errorf("alpha %v, %+v: frame %d is up to %d levels off", alpha, c, n, off)
				}
			}
		}
	}
}

// samplesOf returns the samples of an image in memory, of all frames.
func samplesOf(i *image) []byte { return i.asDecoded(imaging.Load{}, imaging.ByNone).Data }

// scaledInMemory returns the scaled part of height rows of a PNG from the row top on; 0 is all rows.
func scaledInMemory(
	t *testing.T, data []byte, alpha bool, top, height int, part imaging.Part, toWidth, toHeight int,
) []byte {
	t.Helper()
	p, ok := pixels.ParsePNG(data)
	if !ok {
		t.Fatal("no PNG that pixels decodes")
	}
	buffer := make([]byte, p.Buffer())
	if p.Decode(buffer, new(int32)) != nil {
		t.Fatal("not decoded")
	}
	if height == 0 {
		height = p.Height
	}
	picture := pixels.Picture{Width: p.Width, Height: height, Bands: 3}
	if alpha {
		picture.Bands = 4
	}
	for n := top * p.Width; n < (top+height)*p.Width; n++ {
		picture.Pixels = append(picture.Pixels, buffer[n*p.Bands:n*p.Bands+picture.Bands]...)
	}
	out := make([]byte, toWidth*toHeight*picture.Bands)
	if err := pixels.Reduce(picture, partOf(part, false), toWidth, toHeight, out, new(int32)); err != nil {
		t.Fatal(err)
	}
	return out
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
	rgb, err := lazy.colourspace(22) // sRGB
	if err != nil {
		t.Fatal(err)
	}
	defer rgb.close()
	stop, release := stopFlag(t.Context())
	defer release()
	small, err := rgb.scaled(pixels.Part{Width: side, Height: side}, 10, 10, stop)
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
	part := pixels.Part{Width: float64(frames.width()), Height: float64(frame)}
	stop, release := stopFlag(t.Context())
	defer release()
	small, err := frames.scaled(part, width, height, stop)
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
