package vips

import (
	"bytes"
	stdimage "image"
	"image/color"
	"image/gif"
	"image/png"
	"math"
	"strconv"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// gradient is a picture in which many colours and alphas occur.
func gradient(width, height int, alpha bool) *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{
				R: uint8(x * 255 / width),
				G: uint8(y * 255 / height),
				B: uint8((x + y) * 255 / (width + height)),
				A: 255,
			}
			if alpha {
				c.A = uint8(55 + (x*7+y*3)%200)
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func pngOf(t testing.TB, img stdimage.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	encoder := png.Encoder{}
	if size := img.Bounds().Size(); size.X*size.Y > 4_000_000 {
		encoder.CompressionLevel = png.BestSpeed // the default takes seconds
	}
	if err := encoder.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// animation is a GIF of frames of different colours, with a mark that moves.
func animation(t *testing.T, width, height, frames int) []byte {
	t.Helper()
	g := &gif.GIF{LoopCount: 3}
	for n := range frames {
		palette := color.Palette{color.RGBA{uint8(40 + 60*n), 80, uint8(200 - 50*n), 255}, color.White, color.Black}
		img := stdimage.NewPaletted(stdimage.Rect(0, 0, width, height), palette)
		for y := range height / 4 {
			for x := range width / 4 {
				img.SetColorIndex(x+n*width/8, y+height/4, uint8(1+(x+y)%2))
			}
		}
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, 5+n)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFormulas compares the filters that have a formula with it, pixel by pixel.
func TestFormulas(t *testing.T) {
	e := open(t)
	contrast := func(amount float64) func(v float64) float64 {
		c := min(max(2.55*amount, -255), 255)
		return func(v float64) float64 { return 259*(c+255)/(255*(259-c))*(v-128) + 128 }
	}
	for filter, f := range map[string]func(v float64) float64{
		"brightness(20)":   func(v float64) float64 { return v + 51 },
		"brightness(-100)": func(float64) float64 { return 0 },
		"contrast(40)":     contrast(40), "contrast(-100)": contrast(-100), "contrast(100)": contrast(100),
		"invert()":      func(v float64) float64 { return 255 - v },
		"rgb(10,10,10)": func(v float64) float64 { return v + 25.5 },
	} {
		for _, alpha := range []bool{false, true} {
			src := gradient(60, 40, alpha)
			out := decoded(t, processed(e, "filters:"+filter+":format(png)", pngOf(t, src), t).Data)
			for y := range 40 {
				for x := range 60 {
					want, got := src.NRGBAAt(x, y), color.NRGBAModel.Convert(out.At(x, y)).(color.NRGBA)
					for _, p := range [][2]uint8{{want.R, got.R}, {want.G, got.G}, {want.B, got.B}} {
						if w := min(max(f(float64(p[0])), 0), 255); math.Abs(w-float64(p[1])) > 1 {
							t.Fatalf("%s, alpha %v, at %d,%d: %v became %v", filter, alpha, x, y, want, got)
						}
					}
					if got.A != want.A {
						t.Fatalf("%s changes alpha %d to %d", filter, want.A, got.A)
					}
				}
			}
		}
	}
}

// TestFilterEffects looks at what the others do to flat colours.
func TestFilterEffects(t *testing.T) {
	e := open(t)
	at := func(path string, src stdimage.Image, x, y int) color.NRGBA {
		t.Helper()
		return color.NRGBAModel.Convert(decoded(t, processed(e, path+":format(png)", pngOf(t, src), t).Data).At(x, y)).(color.NRGBA)
	}
	near := func(what string, got, want color.NRGBA, tolerance int) {
		t.Helper()
		for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B),
			int(got.A) - int(want.A)} {
			if d > tolerance || d < -tolerance {
				t.Errorf("%s: %v, expected %v", what, got, want)
				return
			}
		}
	}
	red := flat(80, 60, color.NRGBA{200, 40, 40, 255})
	if c := at("filters:grayscale()", red, 5, 5); c.R != c.G || c.G != c.B || c.R < 60 || c.R > 120 {
		t.Errorf("grayscale: %v", c)
	}
	if c := at("filters:saturation(-100)", red, 5, 5); int(c.R)-int(c.G) > 3 {
		t.Errorf("saturation(-100): %v", c)
	}
	if c := at("filters:hue(120)", red, 5, 5); c.G <= c.R {
		t.Errorf("hue(120) of red: %v", c)
	}
	near("hue(360)", at("filters:hue(360)", red, 5, 5), color.NRGBA{200, 40, 40, 255}, 2)
	near("modulate(0,0,0)", at("filters:modulate(0,0,0)", red, 5, 5), color.NRGBA{200, 40, 40, 255}, 0)
	near("padding", at("filters:padding(blue,10,5)", red, 3, 2), color.NRGBA{0, 0, 255, 255}, 0)
	near("round_corner", at("filters:round_corner(20)", red, 0, 0), color.NRGBA{200, 40, 40, 0}, 0)
	near("round_corner in colour", at("filters:round_corner(20,20,green)", red, 0, 0), color.NRGBA{0, 128, 0, 255}, 0)
	near("round_corner inside", at("filters:round_corner(20)", red, 40, 30), color.NRGBA{200, 40, 40, 255}, 0)
	near(
		"background_color", at("filters:background_color(white)", flat(8, 8, color.NRGBA{0, 0, 0, 0}), 3, 3),
		color.NRGBA{255, 255, 255, 255}, 0,
	)
	near("fill", at("fit-in/100x100/filters:fill(00ff00)", red, 50, 1), color.NRGBA{0, 255, 0, 255}, 0)
	near("fill(auto)", at("fit-in/100x100/filters:fill(auto)", red, 50, 1), color.NRGBA{200, 40, 40, 255}, 1)
	near("fill(none)", at("fit-in/100x100/filters:fill(none)", red, 50, 1), color.NRGBA{0, 0, 0, 0}, 0)
	near("blur of a flat colour", at("filters:blur(20)", red, 40, 30), color.NRGBA{200, 40, 40, 255}, 1)
	blocks := decoded(t, processed(e, "filters:pixelate(16):format(png)", pngOf(t, gradient(50, 50, false)), t).Data)
	if blocks.Bounds().Dx() != 50 || blocks.At(0, 0) != blocks.At(15, 15) || blocks.At(15, 15) == blocks.At(16, 16) ||
		blocks.At(48, 48) != blocks.At(49, 49) {
		t.Error("pixelate(16) does not make blocks of 16")
	}
}

func flat(width, height int, c color.NRGBA) *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// TestBlurKeepsColourAtTransparency blurs a red disc on nothing: what is half transparent must stay red.
func TestBlurKeepsColourAtTransparency(t *testing.T) {
	e := open(t)
	src := flat(60, 60, color.NRGBA{})
	for y := range 60 {
		for x := range 60 {
			if (x-30)*(x-30)+(y-30)*(y-30) < 400 {
				src.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 255})
			}
		}
	}
	for _, filter := range []string{"blur(6)", "pixelate(7)", "blur(60)"} {
		out := decoded(t, processed(e, "filters:"+filter+":format(png)", pngOf(t, src), t).Data)
		for y := range 60 {
			for x := range 60 {
				if c := color.NRGBAModel.Convert(out.At(x, y)).(color.NRGBA); c.A > 40 && (c.R < 240 || c.G > 8) {
					t.Fatalf("%s at %d,%d: %v", filter, x, y, c)
				}
			}
		}
	}
}

// TestSharpenAtTransparency sharpens a plain disc on nothing, and a picture that is half transparent all over: the
// edge of a shape is none of its colours, and transparency does not weaken the effect within it.
// TestProportionScalesTheBox fills what a fit leaves free, after the result was made smaller.
func TestProportionScalesTheBox(t *testing.T) {
	e := open(t)
	r := processed(
		e, "fit-in/180x180/filters:proportion(50):fill(blue):format(png)",
		pngOf(t, flat(200, 100, color.NRGBA{R: 255, A: 255})), t,
	)
	if r.Width != 90 || r.Height != 90 {
		t.Fatalf("%d x %d, expected 90 x 90", r.Width, r.Height)
	}
	out := decoded(t, r.Data)
	if c := color.NRGBAModel.Convert(out.At(45, 5)).(color.NRGBA); c.B != 255 || c.R != 0 {
		t.Errorf("above the picture: %v, expected blue", c)
	}
}

func TestSharpenAtTransparency(t *testing.T) {
	e := open(t)
	src := flat(60, 60, color.NRGBA{})
	disc := color.NRGBA{R: 150, G: 90, B: 60, A: 255}
	for y := range 60 {
		for x := range 60 {
			if (x-30)*(x-30)+(y-30)*(y-30) < 400 {
				src.SetNRGBA(x, y, disc)
			}
		}
	}
	out := decoded(t, processed(e, "filters:sharpen(3):format(png)", pngOf(t, src), t).Data)
	for y := range 60 {
		for x := range 60 {
			c := color.NRGBAModel.Convert(out.At(x, y)).(color.NRGBA)
			if want := src.NRGBAAt(x, y); c.A != want.A ||
				want.A > 0 && (gap(c.R, want.R) > 3 || gap(c.G, want.G) > 3 || gap(c.B, want.B) > 3) {
				t.Fatalf("at %d,%d: %v, expected %v", x, y, c, want)
			}
		}
	}
	opaque, glass := flat(40, 20, color.NRGBA{80, 80, 80, 255}), flat(40, 20, color.NRGBA{80, 80, 80, 128})
	for y := range 20 {
		for x := 20; x < 40; x++ {
			opaque.SetNRGBA(x, y, color.NRGBA{160, 160, 160, 255})
			glass.SetNRGBA(x, y, color.NRGBA{160, 160, 160, 128})
		}
	}
	one := decoded(t, processed(e, "filters:sharpen(1):format(png)", pngOf(t, opaque), t).Data)
	two := decoded(t, processed(e, "filters:sharpen(1):format(png)", pngOf(t, glass), t).Data)
	for x := range 40 {
		a, b := color.NRGBAModel.Convert(one.At(x, 10)).(color.NRGBA),
			color.NRGBAModel.Convert(two.At(x, 10)).(color.NRGBA)
		if gap(a.R, b.R) > 1 || b.A != 128 {
			t.Errorf("at %d: %v through glass, %v without", x, b, a)
		}
	}
}

func gap(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }

// everyFilter has a call of every filter that changes pixels, with the size that it leaves of 96 x 64.
var everyFilter = map[string][2]int{
	"background_color(red)": {
		96,
		64,
	}, "blur(3)": {96, 64}, "brightness(10)": {96, 64}, "contrast(10)": {96, 64}, "crop(10,10,40,30)": {40, 30},
	"crop(0.25,0.25,0.5,0.5)": {48, 32},
	"fill(red)": {
		96,
		64,
	}, "fill(blur)": {96, 64}, "grayscale()": {96, 64}, "hue(40)": {96, 64}, "invert()": {96, 64},
	"modulate(5,5,5)": {96, 64}, "padding(red,4,8)": {104, 80},
	"pixelate(8)": {
		96,
		64,
	}, "proportion(50)": {48, 32}, "rgb(5,5,5)": {96, 64}, "rotate(90)": {64, 96}, "rotate(180)": {96, 64},
	"round_corner(12)":     {96, 64},
	"curve(64,40,192,215)": {96, 64}, "exposure(1)": {96, 64}, "highlights(-50)": {96, 64}, "shadows(50)": {96, 64},
	"vibrance(50)": {96, 64}, "white_balance(5000,10)": {96, 64},
	"saturation(20)": {
		96,
		64,
	}, "sharpen(1)": {96, 64}, "trim(5)": {0, 0}, "strip_icc()": {96, 64}, "strip_exif()": {96, 64},
	"strip_metadata()": {96, 64}, "orient(90)": {64, 96},
	"quality(50)": {
		96,
		64,
	}, "to_colorspace(srgb)": {96, 64}, "upscale()": {96, 64}, "no_upscale()": {96, 64}, "preview()": {96, 64},
	"max_bytes(4000)": {96, 64}, "dpi(100)": {96, 64},
}

// TestAnimationsStayAnimated puts an animation through every filter, to both formats that can hold it.
func TestAnimationsStayAnimated(t *testing.T) {
	e, src := open(t), animation(t, 96, 64, 3)
	for filter, size := range everyFilter {
		for _, format := range []string{"gif", "webp"} {
			r := processed(e, "filters:"+filter+":format("+format+")", src, t)
			if r.Pages != 3 || size[0] > 0 && (r.Width != size[0] || r.Height != size[1]) {
				t.Errorf("%s as %s: %d frames of %d x %d", filter, format, r.Pages, r.Width, r.Height)
			}
			if format != "gif" {
				continue
			}
			g, err := gif.DecodeAll(bytes.NewReader(r.Data))
			if err != nil || len(g.Image) != 3 || g.LoopCount != 3 || g.Delay[0] != 5 || g.Delay[2] != 7 ||
				g.Config.Width != r.Width ||
				g.Config.Height != r.Height {
				t.Errorf(
					"%s: %v, %d frames, loop %d, delays %v, %dx%d", filter, err, len(g.Image), g.LoopCount,
					g.Delay, g.Config.Width, g.Config.Height,
				)
			}
		}
	}
	for _, path := range []string{"40x40", "40x40/smart", "fit-in/-30x-30", "trim/fit-in/30x30",
		"10x10:60x50/stretch/20x20", "20x20/5x5/filters:fill(red)", "fit-in/48x48/filters:focal(0.1x0.1:0.2x0.2)"} {
		if r := processed(e, path, src, t); r.Pages != 3 || r.Format != imaging.GIF {
			t.Errorf("%s: %d frames of %s", path, r.Pages, r.Format)
		}
	}
	for path, pages := range map[string]int{"filters:max_frames(2)": 2, "filters:page(2)": 1, "filters:page(99)": 1,
		"filters:format(jpeg)": 1, "filters:format(png)": 1} {
		if r := processed(e, path, src, t); r.Pages != pages {
			t.Errorf("%s: %d frames, expected %d", path, r.Pages, pages)
		}
	}
}

// TestStillsThroughEveryFilter does the same to opaque and transparent stills in every source format we can make.
func TestStillsThroughEveryFilter(t *testing.T) {
	e := open(t)
	for name, src := range map[string][]byte{"opaque": pngOf(t, gradient(96, 64, false)),
		"alpha": pngOf(t, gradient(96, 64, true)), "jpeg": jpegOf(t, gradient(96, 64, false))} {
		for filter, size := range everyFilter {
			for _, format := range []string{"png", "jpeg"} {
				r := processed(e, "filters:"+filter+":format("+format+")", src, t)
				if size[0] > 0 && (r.Width != size[0] || r.Height != size[1]) {
					t.Errorf("%s through %s: %d x %d", name, filter, r.Width, r.Height)
				}
			}
		}
	}
}

func TestMaxBytes(t *testing.T) {
	e, src := open(t), pngOf(t, noise(300, 200))
	for _, format := range []string{"jpeg", "webp", "avif"} {
		free := processed(e, "filters:format("+format+")", src, t)
		bound := len(free.Data) / 2
		path := "filters:max_bytes(" + strconv.Itoa(bound) + "):format(" + format + ")"
		if r := processed(e, path, src, t); len(r.Data) > bound || len(r.Data) < bound/3 {
			t.Errorf("%s: %d bytes of at most %d", format, len(r.Data), bound)
		}
	}
}

func TestHashes(t *testing.T) {
	e := open(t)
	info := func(filters imaging.Filters, img stdimage.Image) *imaging.Info {
		t.Helper()
		i, err := e.Info(
			t.Context(), sourceOf(pngOf(t, img)),
			imaging.InfoRequest{Operations: imaging.Operations{Filters: filters}}, imaging.DefaultLimits(),
		)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	i := info("blurhash(4,3):thumbhash():avgcolor()", gradient(200, 100, false))
	if len(i.BlurHash) != 4+2*4*3 || i.BlurHash[0] != 'L' || len(i.ThumbHash) < 20 || i.AverageColor == nil ||
		i.AverageColor.R < 120 ||
		i.AverageColor.R > 135 ||
		i.Width != 200 ||
		i.Bands != 3 {
		t.Errorf("%+v", i)
	}
	clear := flat(10, 10, color.NRGBA{255, 255, 255, 0})
	if c := info("avgcolor()", clear).AverageColor; *c != (imaging.RGB{}) {
		t.Errorf("transparent white over black is %v", c)
	}
	if c := info("avgcolor():background_color(red)", clear).AverageColor; *c != (imaging.RGB{R: 255}) {
		t.Errorf("transparent white over red is %v", c)
	}
	if _, err := e.Info(t.Context(), sourceOf(pngOf(t, clear)),
		imaging.InfoRequest{Operations: imaging.Operations{Filters: "blurhash(0,1)"}},
		imaging.DefaultLimits()); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("blurhash(0,1): %v", err)
	}
}
