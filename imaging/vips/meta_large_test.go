package vips

import (
	"image/color"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// TestMetaOfLargePictures looks at pictures whose result would be over the limits, at few of their pixels, and
// describes all of them.
func TestMetaOfLargePictures(t *testing.T) {
	e := open(t)
	tight := imaging.DefaultLimits()
	tight.MaxResultSide, tight.MaxResultPixels = 300, 30_000
	ops := imaging.Operations{Filters: "blurhash(4,3):phash():avgcolor():dominant()"}
	wide := flat(900, 700, color.NRGBA{30, 90, 160, 255})
	for name, data := range map[string][]byte{
		"photo.jpg": jpegOf(t, photograph(1600, 1200)),
		"photo.png": pngOf(t, photograph(800, 600)),
		"flat.png":  pngOf(t, wide),
	} {
		want, err := e.Info(t.Context(), sourceOf(data), imaging.InfoRequest{Operations: ops}, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Info(t.Context(), sourceOf(data), imaging.InfoRequest{Operations: ops}, tight)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Width != want.Width || got.Height != want.Height || got.BlurHash == "" || got.PHash == "" ||
			got.DominantColor == nil {
			t.Errorf("%s: %+v, expected what larger limits give: %+v", name, got, want)
		}
		if a, b := got.AverageColor, want.AverageColor; a == nil || b == nil ||
			max(apartBy(a.R, b.R), apartBy(a.G, b.G), apartBy(a.B, b.B)) > 2 {
			t.Errorf("%s: the average is %+v, expected %+v", name, a, b)
		}
	}
	_, err := e.Process(t.Context(), sourceOf(pngOf(t, wide)), imaging.Operations{}, tight)
	if fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("the picture itself: %v, expected %s", err, fault.TooLarge)
	}
}

func apartBy[T uint8 | int](a, b T) int {
	return max(int(a)-int(b), int(b)-int(a))
}
