package vips

import (
	"math"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

func shadeOf(width, height int) shade {
	return shade{width, height, make([]float32, width*height), new(int32)}
}

// TestOutlineOfWideText checks that an outline is as round at the end of a long line as at its start.
func TestOutlineOfWideText(t *testing.T) {
	const width, height, grown = 12000, 31, 9.5
	ink := pixels.Picture{Pixels: make([]byte, width*height), Width: width, Height: height, Bands: 1}
	var dashes []int // their centers
	for x := 20; x < width-20; x += 37 {
		dashes = append(dashes, x)
		for i := x - 3; i <= x+3; i++ {
			ink.Pixels[15*width+i] = 255
		}
	}
	s := shadeOf(width, height)
	if err := s.outlined(ink, 0, 0, grown); err != nil {
		t.Fatal(err)
	}
	for _, dash := range dashes {
		for y := range height {
			for x := dash - 15; x <= dash+15; x++ {
				beside := max(math.Abs(float64(x-dash))-3, 0)
				distance := math.Hypot(beside, float64(y-15))
				want := float32(min(max(grown+0.5-distance, 0), 1))
				if got := s.at[y*width+x]; math.Abs(float64(got-want)) > 1e-4 {
					t.Fatalf("the outline covers %v of the pixel %d, %d, expected %v", got, x, y, want)
				}
			}
		}
	}
}

// TestAroundStops checks that each part of drawing what is around a text ends when the job does.
func TestTextAroundStops(t *testing.T) {
	ink := pixels.Picture{Pixels: make([]byte, 16), Width: 4, Height: 4, Bands: 1}
	s := shadeOf(20, 20)
	out := make([]byte, 4*20*20)
	parts := map[string]func() error{
		"letters": func() error { return s.letters(ink, 8, 8) },
		"box":     func() error { return s.box(4, 2, 0, 0) },
		"blur":    func() error { return s.blur(3) },
		"outline": func() error { return s.outlined(ink, 8, 8, 3) },
		"over":    func() error { return s.over(out, imaging.Colour{A: 255}) },
	}
	for stop, want := range []error{nil, pixels.ErrStopped} {
		*s.stop = int32(stop)
		for name, draw := range parts {
			if err := draw(); err != want {
				t.Errorf("%s with stop at %d: %v, expected %v", name, stop, err, want)
			}
		}
	}
}

func BenchmarkAround(b *testing.B) {
	const width, height, margin = 2000, 1000, 100
	ink := pixels.Picture{Pixels: make([]byte, 1800*800), Width: 1800, Height: 800, Bands: 1}
	for i := range ink.Pixels {
		ink.Pixels[i] = uint8(i / 7 % 3 * 127)
	}
	black := imaging.Colour{A: 255}
	out := make([]byte, 4*width*height)
	s := shadeOf(width, height)
	for name, a := range map[string]imaging.Around{
		"box":            {Box: black},
		"outline":        {Outline: black, OutlineWidth: 10},
		"shadow":         {Shadow: black, ShadowBlur: 10},
		"outline+shadow": {Outline: black, OutlineWidth: 10, Shadow: black, ShadowBlur: 10},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := s.around(out, ink, margin, a); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/width/height, "ns/pixel")
		})
	}
}
