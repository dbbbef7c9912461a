package vips

import (
	"fmt"
	stdimage "image"
	"image/color"
	"testing"
)

// tolerance is how far a result may lie from its golden before the test fails. Sizes, formats and frames have
// none.
type tolerance struct {
	mean  float64 // mean absolute difference of all channels, in levels of 255
	block float64 // the same over the worst block of 8 x 8 pixels
	ssim  float64 // the least structural similarity of lightness
}

// Another libvips or encoder may round otherwise, and no more: a picture that looks different has to fail. Text
// moves by parts of a pixel with the versions of FreeType and Pango.
var (
	exactly = tolerance{mean: 0.7, block: 6, ssim: 0.985}
	lossy   = tolerance{mean: 2.5, block: 14, ssim: 0.95}
	drawn   = tolerance{mean: 3, block: 40, ssim: 0.90}
)

// later are the cases in which libvips 8.15 to 8.18 differ by more from the goldens, which 8.14.1 made, as seen on
// 8.18.7: libvips 8.16 revised the weights of gray, its resizing and blurring round otherwise, and a later
// libimagequant chooses other colors for a palette of 2, 4 or 16.
var later = map[string]tolerance{
	"filters/scene.png--grayscale":                                 {mean: 2, block: 6, ssim: 0.985},
	"filters/glass.png--greyscale":                                 {mean: 1, block: 7, ssim: 0.985},
	"filters/scene.png--blur_3_rotate_90_grayscale_padding_gold_5": {mean: 1.5, block: 6, ssim: 0.985},
	"animated/move.gif--grayscale":                                 {mean: 1.5, block: 6, ssim: 0.985},
	"animated/move.gif--blur_4":                                    {mean: 1.3, block: 6, ssim: 0.985},
	"layers/color_white--90x60_image_fit-in_40x60_tall.png_0_0_image_fit-in_50x60_scene.png_right_bottom": {
		mean:  0.9,
		block: 6,
		ssim:  0.985,
	},
	"formats/scene.png--bitdepth_1": {mean: 30, block: 60, ssim: 0.4},
	"formats/scene.png--bitdepth_2": {mean: 30, block: 60, ssim: 0.4},
	"formats/scene.png--bitdepth_4": {mean: 4, block: 25, ssim: 0.8},
}

// unlike says in words what sets got apart from want beyond the tolerance; empty when nothing does.
func (t tolerance) unlike(got, want *stdimage.NRGBA) string {
	if got.Bounds() != want.Bounds() {
		return fmt.Sprintf("is %v, the golden %v", got.Bounds().Size(), want.Bounds().Size())
	}
	mean, block := levelsApart(got, want)
	like := ssim(lightness(got), lightness(want))
	if mean > t.mean || block > t.block || like < t.ssim {
		return fmt.Sprintf(
			"differs by a mean of %.2f levels (at most %g), %.1f in the worst block (%g), similarity %.3f (at least %g)",
			mean, t.mean, block, t.block, like, t.ssim,
		)
	}
	return ""
}

// levelsApart returns the mean absolute difference of the pixels, colours weighted by alpha, and that of the worst
// block of 8 x 8.
func levelsApart(a, b *stdimage.NRGBA) (mean, worst float64) {
	width, height := a.Bounds().Dx(), a.Bounds().Dy()
	total := 0
	for top := 0; top < height; top += 8 {
		for left := 0; left < width; left += 8 {
			sum, right, bottom := 0, min(left+8, width), min(top+8, height)
			for y := top; y < bottom; y++ {
				for x := left; x < right; x++ {
					sum += pixelsApart(a.NRGBAAt(x, y), b.NRGBAAt(x, y))
				}
			}
			total += sum
			worst = max(worst, float64(sum)/float64(4*(right-left)*(bottom-top)))
		}
	}
	return float64(total) / float64(4*width*height), worst
}

func pixelsApart(a, b color.NRGBA) int {
	sum := 0
	for _, pair := range [][2]int{{int(a.R) * int(a.A) / 255, int(b.R) * int(b.A) / 255},
		{int(a.G) * int(a.A) / 255, int(b.G) * int(b.A) / 255},
		{int(a.B) * int(a.A) / 255, int(b.B) * int(b.A) / 255}, {int(a.A), int(b.A)}} {
		sum += max(pair[0]-pair[1], pair[1]-pair[0])
	}
	return sum
}

// lightness returns the picture's lightness over grey.
func lightness(img *stdimage.NRGBA) plane {
	p := plane{img.Bounds().Dx(), img.Bounds().Dy(), nil}
	for y := range p.height {
		for x := range p.width {
			c := img.NRGBAAt(x, y)
			light := (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
			p.pixels = append(p.pixels, byte((light*int(c.A)+128*(255-int(c.A)))/255))
		}
	}
	return p
}

// TestGoldenComparison checks that the comparison sees what a person would see, and lets pass what one would not.
func TestGoldenComparison(t *testing.T) {
	changed := func(change func(x, y int, c color.NRGBA) color.NRGBA) *stdimage.NRGBA {
		img := scenery(96, 72)
		for y := range 72 {
			for x := range 96 {
				img.SetNRGBA(x, y, change(x, y, img.NRGBAAt(x, y)))
			}
		}
		return img
	}
	want := scenery(96, 72)
	for name, c := range map[string]struct {
		got  *stdimage.NRGBA
		same bool
	}{
		"itself": {scenery(96, 72), true},
		"one level up": {
			changed(func(x, y int, c color.NRGBA) color.NRGBA { c.G = min(c.G, 254) + uint8((x+y)%2); return c }),
			true},
		"another size": {scenery(96, 71), false},
		"shifted": {changed(func(x, y int, _ color.NRGBA) color.NRGBA { return want.NRGBAAt(max(x-2, 0), y) }),
			false},
		"mirrored":       {changed(func(x, y int, _ color.NRGBA) color.NRGBA { return want.NRGBAAt(95-x, y) }), false},
		"channels mixed": {changed(func(_, _ int, c color.NRGBA) color.NRGBA { c.R, c.B = c.B, c.R; return c }), false},
		"brighter": {changed(func(_, _ int, c color.NRGBA) color.NRGBA {
			c.R, c.G, c.B = c.R/8*7+31, c.G/8*7+31, c.B/8*7+31
			return c
		}), false},
		"a speck of 6 x 6": {changed(func(x, y int, c color.NRGBA) color.NRGBA {
			if x >= 40 && x < 46 && y >= 10 && y < 16 {
				return color.NRGBA{0, 0, 0, 255}
			}
			return c
		}), false},
		"a little clear": {changed(func(_, _ int, c color.NRGBA) color.NRGBA { c.A = 235; return c }), false},
		"a grid": {changed(func(x, y int, c color.NRGBA) color.NRGBA {
			if x%8 == 0 || y%8 == 0 {
				c.G /= 2
			}
			return c
		}), false},
	} {
		for _, limits := range []tolerance{exactly, lossy} {
			if problem := limits.unlike(c.got, want); (problem == "") != c.same {
				t.Errorf("%s: %q", name, problem)
			}
		}
	}
}
