package vips

import (
	stdimage "image"
	"image/color"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/oklab"
)

// striped is a picture of these colours, each as many pixels high as heights says.
func striped(width int, heights []int, colours ...color.NRGBA) *stdimage.NRGBA {
	total := 0
	for _, h := range heights {
		total += h
	}
	img, y := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, total)), 0
	for n, h := range heights {
		for range h {
			for x := range width {
				img.SetNRGBA(x, y, colours[n])
			}
			y++
		}
	}
	return img
}

var (
	whitePixel = color.NRGBA{255, 255, 255, 255}
	redPixel   = color.NRGBA{200, 30, 30, 255}
	bluePixel  = color.NRGBA{20, 60, 180, 255}
	clearPixel = color.NRGBA{90, 200, 90, 0}
)

func TestPalette(t *testing.T) {
	entry := func(c color.NRGBA, share float64) imaging.PaletteColour {
		return imaging.PaletteColour{RGB: imaging.RGB{R: c.R, G: c.G, B: c.B}, Share: share}
	}
	faint := redPixel
	faint.A = 102
	for name, c := range map[string]struct {
		img  *stdimage.NRGBA
		n    int
		want []imaging.PaletteColour
	}{
		"one": {striped(9, []int{9}, redPixel), 6, []imaging.PaletteColour{entry(redPixel, 1)}},
		"by share": {striped(10, []int{2, 7, 3}, redPixel, whitePixel, bluePixel), 6,
			[]imaging.PaletteColour{entry(whitePixel, 0.5833), entry(bluePixel, 0.25), entry(redPixel, 0.1667)}},
		"a rare one": {striped(100, []int{99, 1}, whitePixel, bluePixel), 2,
			[]imaging.PaletteColour{entry(whitePixel, 0.99), entry(bluePixel, 0.01)}},
		"clear is nothing": {striped(4, []int{5, 1}, clearPixel, bluePixel), 3,
			[]imaging.PaletteColour{entry(bluePixel, 1)}},
		"all clear": {striped(4, []int{5}, clearPixel), 3, []imaging.PaletteColour{}},
		"alpha counts": {striped(4, []int{3, 1}, faint, bluePixel), 3,
			[]imaging.PaletteColour{entry(redPixel, 0.5455), entry(bluePixel, 0.4545)}},
		"alike": {striped(4, []int{3, 1}, bluePixel, color.NRGBA{22, 61, 181, 255}), 5,
			[]imaging.PaletteColour{{RGB: imaging.RGB{R: 21, G: 60, B: 180}, Share: 1}}},
	} {
		if got := paletteOf(c.img, c.n, false); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	empty := stdimage.NewNRGBA(stdimage.Rect(0, 0, 0, 0))
	if got := paletteOf(empty, 6, false); len(got) != 0 || dominantOf(empty, true) != nil {
		t.Errorf("no pixels: %v", got)
	}
}

// TestPaletteOfMany holds what is true of the palette of any picture.
func TestPaletteOfMany(t *testing.T) {
	for n := 2; n <= 16; n++ {
		img := gradient(128, 96, true)
		got, sum := paletteOf(img, n, false), 0.0
		if len(got) != n {
			t.Errorf("%d colours, want %d", len(got), n)
		}
		for k, c := range got {
			if sum += c.Share; k > 0 && c.Share > got[k-1].Share {
				t.Errorf("share %d of %d is %v after %v", k, n, c.Share, got[k-1].Share)
			}
		}
		if math.Abs(sum-1) > 1e-3 || !reflect.DeepEqual(got, paletteOf(img, n, false)) {
			t.Errorf("%d colours: shares add up to %v, or differ the second time", n, sum)
		}
	}
}

// TestRefined checks that k-means comes closer to the picture than median cut alone.
func TestRefined(t *testing.T) {
	all := swatchesOf(gradient(128, 96, false), false)
	miss := func(centres []swatch) (sum float64) {
		for _, s := range all {
			least := math.Inf(1)
			for _, c := range centres {
				least = min(least, s.colour.Squared(c.colour))
			}
			sum += s.weight * least
		}
		return sum
	}
	cut := medianCut(all, 6)
	if before, after := miss(cut), miss(refined(all, cut)); len(cut) != 6 || after > 0.95*before {
		t.Errorf("%d boxes, %v became %v", len(cut), before, after)
	}
}

func TestDominant(t *testing.T) {
	for name, c := range map[string]struct {
		img  *stdimage.NRGBA
		want color.NRGBA
	}{
		"most":             {striped(10, []int{8, 2}, whitePixel, redPixel), whitePixel},
		"chroma counts":    {striped(10, []int{55, 45}, whitePixel, redPixel), redPixel},
		"clear is nothing": {striped(10, []int{8, 2}, clearPixel, whitePixel), whitePixel},
	} {
		for _, quick := range []bool{false, true} {
			if got := dominantOf(c.img, quick); got == nil ||
				*got != (imaging.RGB{R: c.want.R, G: c.want.G, B: c.want.B}) {
				t.Errorf("%s, quick %v: %v, want %v", name, quick, got, c.want)
			}
		}
	}
}

// TestQuickSwatches checks that swatches made of channels are those made in OKLab, within a level.
func TestQuickSwatches(t *testing.T) {
	for name, img := range map[string]*stdimage.NRGBA{
		"gradient": gradient(128, 96, true), "scene": smaller(scene(2), 7), "black": gradient(8, 8, false)} {
		want, got := swatchesOf(img, false), swatchesOf(img, true)
		if len(got) != len(want) {
			t.Fatalf("%s: %d swatches, want %d", name, len(got), len(want))
		}
		for n, s := range got {
			a, b := s.colour.RGB(), want[n].colour.RGB()
			if s.weight != want[n].weight || max(a.R, b.R)-min(a.R, b.R) > 1 || max(a.G, b.G)-min(a.G, b.G) > 1 ||
				max(a.B, b.B)-min(a.B, b.B) > 1 {
				t.Errorf("%s: %v of %v, want %v of %v", name, a, s.weight, b, want[n].weight)
			}
		}
	}
}

// TestSwatchesAreExact compares with sums of whole numbers, in the order of the first pixels.
func TestSwatchesAreExact(t *testing.T) {
	img := gradient(128, 96, true)
	for n := 3; n < len(img.Pix); n += 28 {
		img.Pix[n] = uint8(n)
	}
	var keys []uint16
	sums := map[uint16]*[4]uint64{}
	for p := img.Pix; len(p) > 0; p = p[4:] {
		if key := keyOf(p); p[3] > 0 && key > 0 {
			if sums[key] == nil {
				sums[key], keys = &[4]uint64{}, append(keys, key)
			}
			for k, v := range []uint64{uint64(p[0]), uint64(p[1]), uint64(p[2]), 1} {
				sums[key][k] += v * uint64(p[3])
			}
		}
	}
	var want []swatch
	for _, key := range keys {
		s := sums[key]
		weight := float64(s[3])
		want = append(
			want,
			swatch{oklab.OfChannels(float64(s[0])/weight, float64(s[1])/weight, float64(s[2])/weight), weight},
		)
	}
	dark := func(s swatch) bool { return s.colour[0] < 0.13 } // those of key 0 may be summed up in OKLab
	got := slices.DeleteFunc(swatchesOf(img, true), dark)
	if want = slices.DeleteFunc(want, dark); len(want) < 100 || !slices.Equal(got, want) {
		t.Errorf("%d swatches, expected those of the sums, %d", len(got), len(want))
	}
}

// TestOKLab checks a value that the colour space's author gives, and that all is found again.
func TestOKLab(t *testing.T) {
	red := oklab.Of(imaging.RGB{R: 255})
	for k, want := range []float64{0.62796, 0.22486, 0.12585} {
		if math.Abs(red[k]-want) > 1e-4 {
			t.Errorf("red's coordinate %d is %v, want %v", k, red[k], want)
		}
	}
	for n := range 1 << 12 {
		c := imaging.RGB{R: uint8(n>>8) * 17, G: uint8(n>>4&15) * 17, B: uint8(n&15) * 17}
		if got := oklab.Of(c).RGB(); got != c {
			t.Fatalf("%v became %v", c, got)
		}
	}
}
