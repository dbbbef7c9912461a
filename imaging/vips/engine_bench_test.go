package vips

import (
	"bytes"
	stdimage "image"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// BenchmarkProcess runs the jobs of docs/contributing/performance/README.md without a server, one at a time.
func BenchmarkProcess(b *testing.B) {
	e, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	encode := func(img stdimage.Image, as string) []byte {
		var out bytes.Buffer
		if as == "png" {
			err = png.Encode(&out, img)
		} else {
			err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 90})
		}
		if err != nil {
			b.Fatal(err)
		}
		return out.Bytes()
	}
	large := func() []byte { return encode(photograph(4000, 3000), "jpeg") }
	small := func() []byte { return encode(photograph(1600, 1200), "jpeg") }
	alpha := func() []byte {
		clear := photograph(2000, 2000)
		for n := 3; n < len(clear.Pix); n += 4 {
			clear.Pix[n] = uint8(min(255, n%8000/16))
		}
		return encode(clear, "png")
	}
	moving := func() []byte { return movingPhotograph(b) }
	for _, j := range []struct {
		name, path string
		source     func() []byte
	}{
		{"a", "fit-in/300x300", large}, {"b", "fit-in/1200x1200/filters:format(webp):quality(80)", large},
		{"c", "200x200", small}, {"d", "fit-in/400x400", alpha},
		{"e", "fit-in/200x200/filters:format(webp):quality(80)", moving},
		{"f", "fit-in/400x400/filters:format(avif)", small},
	} {
		b.Run(j.name, func(b *testing.B) {
			r, err := imaging.Parse("unsafe/" + j.path + "/x")
			if err != nil {
				b.Fatal(err)
			}
			data := j.source()
			for b.Loop() {
				src := imaging.Source{Name: "x", Size: int64(len(data)), Reader: bytes.NewReader(data)}
				if _, err := e.Process(b.Context(), src, r.Operations, imaging.DefaultLimits()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// movingPhotograph is a GIF of 24 frames of 480 x 480, a window that moves over a photograph.
func movingPhotograph(b *testing.B) []byte {
	whole := photograph(720, 720)
	frames := make([]stdimage.Image, 24)
	for n := range frames {
		frames[n] = whole.SubImage(stdimage.Rect(n*10, n*5, n*10+480, n*5+480))
	}
	return gifOf(b, frames)
}

func gifOf(b *testing.B, frames []stdimage.Image) []byte {
	g := &gif.GIF{}
	for _, frame := range frames {
		img := stdimage.NewPaletted(stdimage.Rect(0, 0, 480, 480), palette.Plan9)
		draw.FloydSteinberg.Draw(img, img.Bounds(), frame, frame.Bounds().Min)
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, 4)
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, g); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// BenchmarkAnalysis analyzes a photograph as the index does: by a thumbnail, and by a small decode.
func BenchmarkAnalysis(b *testing.B) {
	e, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	const look = "blurhash(4,3):thumbhash():dominant():phash()"
	small := imaging.Operations{Fit: imaging.Fit{In: true}, Width: 256, Height: 256, Filters: look + ":sha256()"}
	for _, c := range []struct {
		name          string
		width, height int
		o             imaging.Operations
	}{{"thumbnail", 160, 120, imaging.Operations{Filters: look}},
		{"sum of 12 MP", 4000, 3000, imaging.Operations{Filters: "sha256()"}}, {"2 MP", 1600, 1200, small},
		{"12 MP", 4000, 3000, small}} {
		b.Run(c.name, func(b *testing.B) {
			var out bytes.Buffer
			if err := jpeg.Encode(&out, photograph(c.width, c.height), &jpeg.Options{Quality: 88}); err != nil {
				b.Fatal(err)
			}
			data := out.Bytes()
			for b.Loop() {
				src := imaging.Source{Name: "x", Size: int64(len(data)), Reader: bytes.NewReader(data)}
				if _, err := e.Info(b.Context(), src, imaging.InfoRequest{Operations: c.o},
					imaging.DefaultLimits()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
