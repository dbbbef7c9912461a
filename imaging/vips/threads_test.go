package vips

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestThreadsChangeNothing checks that the bytes of a result do not depend on how many threads made them.
func TestThreadsChangeNothing(t *testing.T) {
	e := open(t)
	for name, data := range map[string][]byte{"jpeg": jpegOf(t, photograph(900, 700)),
		"png": pngOf(t, gradient(600, 500, true)), "gif": animation(t, 96, 64, 4)} {
		for _, path := range []string{"fit-in/200x200/filters:format(webp)", "200x100/smart/filters:format(png)",
			"trim/-300x200/filters:blur(3):sharpen(1):format(avif)"} {
			r, err := imaging.Parse("unsafe/" + path + "/x")
			if err != nil {
				t.Fatal(err)
			}
			var first []byte
			for _, threads := range []int{0, 1, 4} {
				limits := imaging.DefaultLimits()
				limits.Threads = threads
				result, err := e.Process(t.Context(), sourceOf(data), r.Operations, limits)
				if err != nil {
					t.Fatalf("%s of the %s: %v", path, name, err)
				}
				if first == nil {
					first = result.Data
				}
				if !bytes.Equal(first, result.Data) {
					t.Errorf("%s of the %s is another file with %d threads", path, name, threads)
				}
			}
		}
	}
}

// BenchmarkLoneJob shows what threads do for a picture that has the machine to itself: ns/op falls, cpu-ms/op must not
// grow much.
func BenchmarkLoneJob(b *testing.B) {
	e, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	r, err := imaging.Parse("unsafe/fit-in/1200x1200/filters:format(webp):quality(80)/x")
	if err != nil {
		b.Fatal(err)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, photograph(4000, 3000), &jpeg.Options{Quality: 90}); err != nil {
		b.Fatal(err)
	}
	data := photo.Bytes()
	for _, threads := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			limits := imaging.DefaultLimits()
			limits.Threads = threads
			began := used()
			for b.Loop() {
				if _, err := e.Process(b.Context(), sourceOf(data), r.Operations, limits); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((used()-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
