package vips

import (
	stdimage "image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
	corpus "github.com/safelight/safelight/imaging/hostile"
	"github.com/safelight/safelight/imaging/oklab"
)

// eachPixel gives f every pixel of a picture of many colors before and after the filters.
func eachPixel(t *testing.T, e *Engine, filters string, f func(before, after color.NRGBA)) {
	t.Helper()
	img := gradient(128, 96, true)
	for x := range 128 { // grays, and what is next to the ends
		img.SetNRGBA(x, 0, color.NRGBA{uint8(2 * x), uint8(2 * x), uint8(2 * x), uint8(255 - x)})
		img.SetNRGBA(x, 1, color.NRGBA{255, uint8(2*x + 1), uint8(2 * x), 255})
		img.SetNRGBA(x, 2, color.NRGBA{uint8(x), 0, uint8(x / 8), 255})
	}
	img.SetNRGBA(0, 3, color.NRGBA{255, 255, 255, 255})
	out := decoded(t, processed(e, "filters:"+filters+":format(png)", pngOf(t, img), t).Data)
	for y := range 96 {
		for x := range 128 {
			f(img.NRGBAAt(x, y), at(out, x, y))
		}
	}
}

func channelsOf(c color.NRGBA) [3]float64 {
	return [3]float64{float64(c.R), float64(c.G), float64(c.B)}
}

// saturationOf returns the saturation in HSV.
func saturationOf(c color.NRGBA) float64 {
	most, least := max(c.R, c.G, c.B), min(c.R, c.G, c.B)
	return float64(most-least) / max(float64(most), 1)
}

// TestLightKeeps holds what none of the filters of light may touch: alpha, gray, black and white.
func TestLightKeeps(t *testing.T) {
	e := open(t)
	black, white := color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 255, 255, 255}
	for _, filters := range []string{
		"exposure(2)", "exposure(0.3)", "exposure(-2)", "highlights(-100)", "highlights(100)", "shadows(100)",
		"shadows(-100)",
		"vibrance(100)", "vibrance(-100)", "curve(64,20,128,140)", "white_balance(3000)", "white_balance(9000,60)",
		"exposure(1):highlights(-40):shadows(28):vibrance(40):curve(64,56,199,210)",
	} {
		eachPixel(t, e, filters, func(before, after color.NRGBA) {
			isGray := before.R == before.G && before.G == before.B
			staysGray := after.R == after.G && after.G == after.B
			switch {
			case before.A != after.A:
				t.Fatalf("%s changes alpha of %v to %d", filters, before, after.A)
			case isGray && !staysGray && filters[0] != 'w':
				t.Fatalf("%s makes %v of gray %v", filters, after, before)
			case before == black && after != black, before == white && after != white && filters != "exposure(-2)":
				t.Fatalf("%s makes %v of %v", filters, after, before)
			}
		})
	}
}

// TestLightUndoes checks that neighbors add up, and that opposite ones change nothing.
func TestLightUndoes(t *testing.T) {
	e := open(t)
	for _, filters := range []string{
		"exposure(2):exposure(-2)", "highlights(70):highlights(-70)", "shadows(90):shadows(-90)",
		"vibrance(50):vibrance(-50)",
		"exposure(0):shadows(0)", "white_balance(6500)", "curve(128,128)", "curve(0,255,255,0):curve(0,255,255,0)",
		"brightness(40):shadows(0.001):brightness(-40)",
	} {
		eachPixel(t, e, filters, func(before, after color.NRGBA) {
			if !near(after, before, 1) {
				t.Fatalf("%s makes %v of %v", filters, after, before)
			}
		})
	}
}

// TestExposureHalvesLight compares with the definition: a stop less is half the light.
func TestExposureHalvesLight(t *testing.T) {
	e := open(t)
	eachPixel(t, e, "exposure(-1)", func(before, after color.NRGBA) {
		for n, v := range channelsOf(before) {
			want := 255 * oklab.Encoded(oklab.Linear(v/255)/2)
			if got := channelsOf(after)[n]; math.Abs(got-want) > 1 {
				t.Fatalf("%v becomes %v, expected %.1f", before, after, want)
			}
		}
	})
	eachPixel(t, e, "exposure(1)", func(before, after color.NRGBA) {
		for n, v := range channelsOf(before) {
			light := oklab.Linear(v / 255)
			if got := channelsOf(after)[n]; max(before.R, before.G, before.B) < 130 &&
				math.Abs(got-255*oklab.Encoded(2*light)) > 6 {
				t.Fatalf("%v becomes %v, expected twice the light", before, after)
			} else if got < v-1 {
				t.Fatalf("%v becomes %v, which is darker", before, after)
			}
		}
	})
}

// TestLightKeepsColors checks that hues stay, and that skies are not grayer when highlights come back, nor shadows
// when they are lifted.
func TestLightKeepsColors(t *testing.T) {
	e := open(t)
	for _, filters := range []string{"exposure(1.5)", "highlights(-100)", "highlights(100)", "shadows(100)",
		"vibrance(100)", "vibrance(-60)"} {
		eachPixel(t, e, filters, func(before, after color.NRGBA) {
			a, b := channelsOf(before), channelsOf(after)
			for n := range 3 {
				if m := (n + 1) % 3; a[n] > a[m] && b[n] < b[m]-1 {
					t.Fatalf("%s turns the hue of %v to %v", filters, before, after)
				}
			}
			place := func(v [3]float64) (float64, bool) {
				most, least := max(v[0], v[1], v[2]), min(v[0], v[1], v[2])
				return (v[0] + v[1] + v[2] - most - 2*least) / (most - least), most-least > 40
			}
			x, ok := place(a)
			if y, also := place(b); ok && also && math.Abs(x-y) > 0.05 {
				t.Fatalf("%s turns the hue of %v to %v", filters, before, after)
			}
			if filters == "highlights(-100)" || filters == "shadows(100)" {
				if max(after.R, after.G, after.B) > 30 && saturationOf(after) < saturationOf(before)-0.04 {
					t.Fatalf("%s takes the color of %v: %v", filters, before, after)
				}
			}
		})
	}
}

// TestVibranceSparesStrongColors compares a pale and a strong color, and skin.
func TestVibranceSparesStrongColors(t *testing.T) {
	e := open(t)
	gain := func(c color.NRGBA) float64 {
		out := decoded(t, processed(e, "filters:vibrance(80):format(png)", pngOf(t, flat(4, 4, c)), t).Data)
		return saturationOf(at(out, 1, 1)) / saturationOf(c)
	}
	pale, strong := gain(color.NRGBA{140, 160, 180, 255}), gain(color.NRGBA{20, 60, 200, 255})
	skin := gain(color.NRGBA{200, 162, 156, 255}) // as pale
	if pale < 1.3 || strong > 1.1 || skin > pale-0.1 || skin < 1.1 {
		t.Errorf("saturation grows %.2f times of a pale color, %.2f of a strong one, %.2f of skin", pale, strong, skin)
	}
}

// TestWhiteBalance checks that the light that is named becomes gray, and to which side arguments go.
func TestWhiteBalance(t *testing.T) {
	e := open(t)
	gray := color.NRGBA{120, 120, 120, 255}
	balanced := func(filters string, c color.NRGBA) color.NRGBA {
		return at(decoded(t, processed(e, "filters:"+filters+":format(png)", pngOf(t, flat(4, 4, c)), t).Data), 1, 1)
	}
	if c := balanced("white_balance(4000)", gray); c.B < c.R+20 || c.B < c.G {
		t.Errorf("4000 K makes %v of gray, expected blue", c)
	}
	if c := balanced("white_balance(10000)", gray); c.R < c.B+20 || c.R < c.G {
		t.Errorf("10000 K makes %v of gray, expected orange", c)
	}
	if c := balanced("white_balance(6500,50)", gray); c.G > min(c.R, c.B)-10 {
		t.Errorf("tint 50 makes %v of gray, expected magenta", c)
	}
	if c := balanced("white_balance(6500,-50)", gray); c.G < max(c.R, c.B)+10 {
		t.Errorf("tint -50 makes %v of gray, expected green", c)
	}
	// CIE standard illuminant A, 2856 K, in sRGB, as bright as this gray
	c := balanced("white_balance(2856)", color.NRGBA{156, 108, 58, 255})
	if max(gap(c.R, c.G), gap(c.G, c.B), gap(c.R, c.B)) > 8 {
		t.Errorf("2856 K makes %v of tungsten light, expected gray", c)
	}
	if y := luminance(balanced("white_balance(4000,20)", gray)) / luminance(gray); math.Abs(y-1) > 0.03 {
		t.Errorf("4000 K changes the light of gray by %.3f", y)
	}
}

func luminance(c color.NRGBA) float64 {
	v := channelsOf(c)
	return 0.2126*oklab.Linear(v[0]/255) + 0.7152*oklab.Linear(v[1]/255) + 0.0722*oklab.Linear(v[2]/255)
}

// TestWhiteBalanceOfNoLight checks that no temperature and tint inverts a color: what they name may be a chromaticity
// that no light has.
func TestWhiteBalanceOfNoLight(t *testing.T) {
	for kelvin := 2000.0; kelvin <= 12000; kelvin += 100 {
		for tint := -100.0; tint <= 100; tint++ {
			m := whiteBalance(kelvin, tint)
			for channel, name := range []string{"red", "green", "blue"} {
				if gain := m[4*channel]; gain <= 0 {
					t.Fatalf("white_balance(%g,%g) multiplies %s by %g", kelvin, tint, name, gain)
				}
			}
		}
	}
	e := open(t)
	eachPixel(t, e, "white_balance(2000,60)", func(before, after color.NRGBA) {
		if before.B > before.R && before.B > before.G && (after.B < after.R || after.B < after.G) {
			t.Fatalf("blue %v becomes %v", before, after)
		}
	})
}

// TestCurve checks that a curve goes through its points, alone and in a chain, and touches no other channel.
func TestCurve(t *testing.T) {
	e := open(t)
	points := map[uint8]uint8{64: 20, 128: 140, 192: 240}
	for _, filters := range []string{"curve(64,20,128,140,192,240)", "vibrance(0.001):curve(64,20,128,140,192,240)"} {
		for x, y := range points {
			out := decoded(t, processed(e, "filters:"+filters+":format(png)",
				pngOf(t, flat(4, 4, color.NRGBA{x, x, x, 255})), t).Data)
			if c := at(out, 1, 1); c != (color.NRGBA{y, y, y, 255}) {
				t.Errorf("%s makes %v of %d, expected %d", filters, c, x, y)
			}
		}
	}
	for n, channel := range []string{"r", "g", "b"} {
		eachPixel(t, e, "curve("+channel+",0,255,255,0)", func(before, after color.NRGBA) {
			want := channelsOf(before)
			want[n] = 255 - want[n]
			if got := channelsOf(after); got != want {
				t.Fatalf("of channel %s: %v becomes %v", channel, before, after)
			}
		})
	}
}

// TestEndlessTones computes chains whose factors no float holds. On a fault, the process crashes.
func TestEndlessTones(t *testing.T) {
	e := open(t)
	n := 0
	for _, r := range corpus.Requests("a.jpg") {
		if filters, ok := strings.CutPrefix(r.Path, "filters:"); ok && r.Class == "mixed chains" {
			n++
			filters = strings.TrimSuffix(filters, "/a.jpg")
			if strings.HasPrefix(filters, "curve(0,0,0.0") { // refused
				continue
			}
			eachPixel(t, e, filters, func(before, after color.NRGBA) {
				if before.A != after.A {
					t.Fatalf("%s makes %v of %v", r.Path, after, before)
				}
			})
		}
	}
	if n == 0 {
		t.Error("there are no mixed chains")
	}
	// what is darker than the middle is black, as after one call of infinite contrast
	eachPixel(t, e, strings.Repeat("contrast(100):", 18)+"shadows(1)", func(before, after color.NRGBA) {
		for n, v := range channelsOf(before) {
			if got := channelsOf(after)[n]; v < 127 && got != 0 || v > 129 && got != 255 {
				t.Fatalf("endless contrast makes %v of %v", after, before)
			}
		}
	})
}

// TestHighlightsAddUp checks that the sum of 64 calls is a curve as one call is.
func TestHighlightsAddUp(t *testing.T) {
	for name, shape := range map[string]toneShape{
		"highlights(100)": highlights(64), "highlights(-100)": highlights(-64), "shadows(100)": shadows(64),
		"shadows(-100)": shadows(-64),
	} {
		before := 0.0
		for n := range 1025 {
			v := 255 * float64(n) / 1024
			got := shape(v)
			if math.IsNaN(got) || got < before-1e-9 || got > 255 {
				t.Fatalf("64 of %s make %g of %g, after %g", name, got, v, before)
			}
			before = got
		}
	}
	for _, v := range []float64{60, 128, 200} {
		many := v
		for range 8 {
			many = highlights(1)(many)
		}
		if got := highlights(8)(v); math.Abs(got-many) > 0.01 {
			t.Errorf("8 at once make %g of %g, expected %g", got, v, many)
		}
	}
}

// BenchmarkTones measures what each of the filters adds to a picture of a megapixel: the rate "tone" of imaging/cost.
func BenchmarkTones(b *testing.B) {
	e, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close() })
	data := pngOf(b, gradient(1000, 1000, false))
	for _, filters := range []string{
		"quality(50)", "grayscale()", "hue(30)", "exposure(1)", "highlights(-40)", "white_balance(5000,3)",
		"vibrance(20)",
		"curve(64,40,192,215)",
		"exposure(0.35):highlights(-40):shadows(28):white_balance(5600,4):vibrance(18):curve(64,56,128,142,199,210)",
	} {
		b.Run(filters, func(b *testing.B) {
			for b.Loop() {
				processed(e, "filters:"+filters+":format(jpeg)", data, b)
			}
		})
	}
}

// TestToneFilters checks that the filters of tone in the table are those with a stage.
func TestToneFilters(t *testing.T) {
	for _, f := range imaging.FilterTable() {
		if _, staged := toneStages[f.Name]; staged != f.Tone {
			t.Errorf("%s: tone in the table is %v, with a stage here is %v", f.Name, f.Tone, staged)
		}
	}
}

// TestGrayTakesColor checks that a filter does to a picture of one channel what it does to the same gray in three.
func TestGrayTakesColor(t *testing.T) {
	e := open(t)
	one, three := stdimage.NewGray(stdimage.Rect(0, 0, 64, 16)), stdimage.NewNRGBA(stdimage.Rect(0, 0, 64, 16))
	for y := range 16 {
		for x := range 64 {
			one.SetGray(x, y, color.Gray{uint8(4 * x)})
			three.SetNRGBA(x, y, color.NRGBA{uint8(4 * x), uint8(4 * x), uint8(4 * x), 255})
		}
	}
	for _, filters := range []string{
		"white_balance(3000)", "white_balance(6500,40)", "curve(r,64,20,128,140)", "curve(64,20,128,140)",
		"rgb(20,0,-20)",
		"hue(90)", "saturation(80)", "vibrance(80)", "modulate(10,50,120)", "exposure(1)", "invert()", "brightness(20)",
		"grayscale():white_balance(3000)", "white_balance(3000):grayscale()",
	} {
		path := "filters:" + filters + ":format(png)"
		got, want := decoded(t, processed(e, path, pngOf(t, one), t).Data),
			decoded(t, processed(e, path, pngOf(t, three), t).Data)
		for x := range 64 {
			if !near(at(got, x, 3), at(want, x, 3), 1) {
				t.Errorf("%s: %v becomes %v, in three channels %v", filters, one.GrayAt(x, 3), at(got, x, 3),
					at(want, x, 3))
				break
			}
		}
	}
}
