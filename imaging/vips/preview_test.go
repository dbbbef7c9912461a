package vips

import (
	"bytes"
	"context"
	"fmt"
	stdimage "image"
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// previewSource is a photograph in that format, of a side of 4:3.
func previewSource(tb testing.TB, e *Engine, width int, format imaging.Format) []byte {
	tb.Helper()
	img := photograph(width, width*3/4)
	if format == imaging.PNG && width < 4000 {
		for n := 3; n < len(img.Pix)/2; n += 4 {
			img.Pix[n] = uint8(n / 64)
		}
	}
	data := encodePNG(tb, img)
	if format == imaging.PNG {
		return data
	}
	r, err := e.Process(tb.Context(), imaging.Source{Name: "x", Size: -1, Reader: bytes.NewReader(data)},
		imaging.Operations{Filters: imaging.Filters("format(" + string(format) + "):quality(90)")}, imaging.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return r.Data
}

func (e *Engine) preview(ctx context.Context, data []byte, version, path string) (*imaging.Result, error) {
	r, err := imaging.Parse("unsafe/" + path + "/x")
	if err != nil {
		return nil, err
	}
	src := imaging.Source{Name: "x", Size: int64(len(data)), Reader: bytes.NewReader(data), Version: version}
	return e.Process(ctx, src, r.Operations, imaging.DefaultLimits())
}

// TestPreviewsAreTheSameFromMemory compares every answer with that of an engine that keeps nothing.
func TestPreviewsAreTheSameFromMemory(t *testing.T) {
	with, err := New(Config{PreviewBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer with.Close()
	without, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []imaging.Format{imaging.PNG, imaging.JPEG, imaging.WebP, imaging.GIF, imaging.AVIF} {
		if !slices.Contains(with.writable, format) {
			continue
		}
		data := previewSource(t, without, 600, format)
		for n, path := range []string{
			"fit-in/100x100/filters:preview()", "fit-in/100x100/filters:preview():brightness(20)",
			"fit-in/100x100/filters:preview():brightness(-20):blur(2)",
			"fit-in/100x100/filters:preview():brightness(-20):blur(2):strip_icc()",
			"fit-in/100x100/filters:preview():rotate(90):brightness(5)",
			"fit-in/100x100/filters:brightness(5):preview():quality(40)",
			"200x200/filters:preview():fill(red):hue(40)", "fit-in/200x200/filters:preview():fill(red):hue(40)",
			"fit-in/-200x100/5x6/filters:preview():background_color(blue):saturation(40)",
			"fit-in/250x250/filters:preview()", "10x10:300x200/90x90/smart/filters:preview():contrast(10)",
			"trim/80x80/filters:preview()",
			"filters:preview():orient(90)", "-120x-80/filters:preview():focal(0.1x0.1:0.2x0.2):format(webp)",
			"fit-in/100x100/filters:preview():round_corner(10):format(png)",
		} {
			if n > 0 && leftOut(len(format)+n) {
				continue
			}
			want, err := without.preview(t.Context(), data, "", path)
			if err != nil {
				t.Fatalf("%s %s: %v", format, path, err)
			}
			for range 2 {
				got, err := with.preview(t.Context(), data, "v "+string(format), path)
				if err != nil || !bytes.Equal(got.Data, want.Data) ||
					fmt.Sprint(got.Warnings) != fmt.Sprint(want.Warnings) {
					t.Errorf("%s %s: differs, %v", format, path, err)
				}
			}
		}
		// what is kept is not decoded again: bytes of no picture go unnoticed under the same version
		if _, err := with.preview(t.Context(), []byte("no picture"), "v "+string(format),
			"fit-in/100x100/filters:preview():brightness(7)"); err != nil {
			t.Errorf("%s: not from memory: %v", format, err)
		}
		if _, err := with.preview(t.Context(), []byte("no picture"), "v2 "+string(format),
			"fit-in/100x100/filters:preview()"); err == nil {
			t.Errorf("%s: another version is served from memory", format)
		}
	}
}

// TestEndedPreviewHarmsNoOther has jobs that end in the middle share a kept picture with others.
func TestEndedPreviewHarmsNoOther(t *testing.T) {
	e, err := New(Config{PreviewBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	data := previewSource(t, e, 1200, imaging.PNG)
	const path = "fit-in/500x500/filters:preview():blur(%d)"
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for m := range 6 {
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() {
					defer close(done)
					_, _ = e.preview(ctx, data, "v", fmt.Sprintf(path, 30+n))
				}()
				if m%2 == 0 {
					cancel()
				}
				<-done
				cancel()
			}
		})
	}
	wg.Wait()
	if _, err := e.preview(t.Context(), data, "v", fmt.Sprintf(path, 1)); err != nil {
		t.Error(err)
	}
}

func TestPreviewsAreBounded(t *testing.T) {
	e, err := New(Config{PreviewBytes: 3 << 20})
	if err != nil {
		t.Fatal(err)
	}
	data := previewSource(t, e, 400, imaging.PNG)
	for n := range 20 {
		if _, err := e.preview(t.Context(), data, fmt.Sprint(n), "fit-in/300x300/filters:preview()"); err != nil {
			t.Fatal(err)
		}
		if e.previews.rows.Bytes() > e.previews.bound || e.previews.rows.Len() == 0 {
			t.Fatalf("%d bytes in %d pictures", e.previews.rows.Bytes(), e.previews.rows.Len())
		}
	}
	e.Close()
	if e.previews.rows.Bytes() != 0 || e.previews.rows.Len() != 0 {
		t.Error("not given back")
	}
}

// TestPreviewsAreComputed checks that kept pictures are pixels: steps that are still to be computed would poll the
// stop flag of a job that has ended.
func TestPreviewsAreComputed(t *testing.T) {
	for _, path := range []string{"", "stretch/35x-178/smart/", "500x500/", "-20x20/filters:straighten(3):"} {
		e, err := New(Config{PreviewBytes: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		filters := "filters:preview()"
		if strings.Contains(path, "filters:") {
			filters = "preview()"
		}
		if _, err := e.preview(t.Context(), previewSource(t, e, 80, imaging.PNG), "v", path+filters); err != nil {
			t.Fatal(err)
		}
		for d := range e.previews.rows.All() {
			if _, held := d.image.picture(); !held {
				t.Errorf("%q: a picture of %d x %d is kept that is not computed", path, d.image.width(),
					d.image.height())
			}
		}
	}
}

// BenchmarkPreview changes a slider on a 12 MP picture: the first request of a source, and the next ones.
func BenchmarkPreview(b *testing.B) {
	e, err := New(Config{PreviewBytes: 256 << 20})
	if err != nil {
		b.Fatal(err)
	}
	for _, format := range []imaging.Format{imaging.PNG, imaging.AVIF, imaging.JPEG} {
		if !slices.Contains(e.writable, format) {
			continue
		}
		data := previewSource(b, e, 4000, format)
		for _, size := range []string{"800x600", "1200x900"} {
			path := "fit-in/" + size + "/filters:preview():format(webp):brightness(%d)"
			for _, first := range []bool{true, false} {
				name := map[bool]string{true: "first", false: "next"}[first]
				b.Run(string(format)+"/"+size+"/"+name, func(b *testing.B) {
					n := 0
					for b.Loop() {
						n++
						version := "v" + size
						if first {
							version = fmt.Sprint(name, size, n)
						}
						if _, err := e.preview(b.Context(), data, version, fmt.Sprintf(path, n%100)); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func encodePNG(tb testing.TB, img stdimage.Image) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}
