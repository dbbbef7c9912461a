package vips

import (
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/oklab"
)

// TestSmallSample checks that the index, which looks at 256 pixels of a JPEG, finds nearly what the whole picture
// shows: hashes of pictures that were analyzed either way stay comparable.
func TestSmallSample(t *testing.T) {
	e := open(t)
	sources := map[string][]byte{}
	for name, size := range map[string][2]int{"large": {4000, 3000}, "middle": {1600, 1067}, "small": {300, 400},
		"narrow": {2400, 300}} {
		sources[name] = jpegWith(t, photograph(size[0], size[1]), 90)
	}
	files, _ := filepath.Glob("../../../shared/images/*.jp*g")
	for n, f := range files {
		if leftOut(n) { // each takes half a second
			continue
		}
		if data, err := os.ReadFile(f); err == nil {
			sources[filepath.Base(f)] = data
		}
	}
	const look = "blurhash(4,3):thumbhash():dominant():phash()"
	info := func(data []byte, o imaging.Operations) *imaging.Info {
		o.Filters = look
		info, err := e.Info(t.Context(), sourceOf(data), imaging.InfoRequest{Operations: o}, imaging.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for name, data := range sources {
		if _, err := e.Info(t.Context(), sourceOf(data),
			imaging.InfoRequest{Operations: imaging.Operations{Filters: look}}, imaging.DefaultLimits()); err != nil {
			continue // one that is broken on purpose
		}
		whole := info(data, imaging.Operations{})
		small := info(data, imaging.Operations{Fit: imaging.Fit{In: true}, Width: 256, Height: 256})
		a, _ := strconv.ParseUint(whole.PHash, 16, 64)
		b, _ := strconv.ParseUint(small.PHash, 16, 64)
		distance := bits.OnesCount64(a ^ b)
		color := 0.0
		if whole.DominantColor != nil && small.DominantColor != nil {
			color = oklab.Of(*whole.DominantColor).Squared(oklab.Of(*small.DominantColor))
		}
		t.Logf("%s: %d bits, squared distance of the main color %.5f", name, distance, color)
		if distance > 2 {
			t.Errorf("%s: the perceptual hashes differ in %d bits, expected at most 2", name, distance)
		}
	}
}
