package vips

import (
	stdimage "image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestTonesAgainstReference compares each tone filter, with random arguments over random pixels, with its definition in
// docs/reference/operations.md computed in float64 without tables. They differ by at most one level.
func TestTonesAgainstReference(t *testing.T) {
	e := open(t)
	rounds := 60
	if testing.Short() {
		rounds = 12
	}
	for _, spec := range imaging.FilterTable() {
		if !spec.Tone {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			reference := toneReferences[spec.Name]
			if reference == nil {
				t.Fatal("the filter has no reference")
			}
			random := rand.New(rand.NewPCG(18, 1))
			for range rounds {
				img := randomPixels(random)
				written, numbers := randomArguments(random, spec)
				filter := spec.Name + "(" + written + ")"
				out := decoded(t, processed(e, "filters:"+filter+":format(png)", pngOf(t, img), t).Data)
				of := reference(numbers)
				for i := range 64 * 64 {
					before, got := img.NRGBAAt(i%64, i/64), at(out, i%64, i/64)
					want := levelsOf(of(channelsOf(before)), before.A)
					if !near(got, want, 1) {
						t.Fatalf("%s makes %v of %v, expected %v", filter, got, before, want)
					}
				}
			}
		})
	}
}

// randomPixels returns 64 x 64 pixels: half of any color, a quarter of grays, a quarter near black or white.
func randomPixels(random *rand.Rand) *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		bits := random.Uint64()
		c := color.NRGBA{uint8(bits), uint8(bits >> 8), uint8(bits >> 16), uint8(bits >> 24)}
		switch bits >> 32 % 4 {
		case 0:
			c.G, c.B = c.R, c.R
		case 1:
			c.R, c.G, c.B = c.R%16, c.G%16, c.B%16
			if bits>>40%2 == 0 {
				c.R, c.G, c.B = 255-c.R, 255-c.G, 255-c.B
			}
		}
		img.SetNRGBA(i%64, i/64, c)
	}
	return img
}

// randomArguments returns arguments of a filter as they are written, and the numbers that they are. A curve's are its
// channel, 0 to 2, or 3 for all, and its points.
func randomArguments(random *rand.Rand, spec imaging.FilterSpec) (written string, numbers []float64) {
	words := []string{}
	add := func(low, high float64) {
		word := strconv.FormatFloat(low+(high-low)*random.Float64(), 'f', 2, 64)
		number, _ := strconv.ParseFloat(word, 64)
		words, numbers = append(words, word), append(numbers, number)
	}
	for _, p := range spec.Parameters {
		if p.Kind != imaging.KindCurve {
			add(p.Min, p.Max)
			continue
		}
		channel := random.IntN(4)
		numbers = append(numbers, float64(channel))
		if channel < 3 {
			words = append(words, "rgb"[channel:channel+1])
		}
		count := 1 + random.IntN(imaging.MaxCurvePoints)
		width := 256 / float64(count)
		for n := range count {
			add(float64(n)*width, (float64(n)+0.8)*width)
			add(0, 255)
		}
	}
	return strings.Join(words, ","), numbers
}

// levelsOf rounds and clips.
func levelsOf(v [3]float64, alpha uint8) color.NRGBA {
	level := func(v float64) uint8 { return uint8(math.Round(min(max(v, 0), 255))) }
	return color.NRGBA{level(v[0]), level(v[1]), level(v[2]), alpha}
}

// toneReferences return what the filters with these arguments make of a pixel, of 0 to 255.
var toneReferences = map[string]func(arguments []float64) func(v [3]float64) [3]float64{
	"brightness": func(a []float64) func([3]float64) [3]float64 {
		return eachChannel(func(v float64) float64 { return v + 255*a[0]/100 })
	},
	"contrast": func(a []float64) func([3]float64) [3]float64 {
		amount := 255 * a[0] / 100
		slope := (259 * (amount + 255)) / (255 * (259 - amount))
		return eachChannel(func(v float64) float64 { return slope*(v-128) + 128 })
	},
	"rgb": func(a []float64) func([3]float64) [3]float64 {
		return func(v [3]float64) [3]float64 {
			return [3]float64{v[0] + 255*a[0]/100, v[1] + 255*a[1]/100, v[2] + 255*a[2]/100}
		}
	},
	"invert": func([]float64) func([3]float64) [3]float64 {
		return eachChannel(func(v float64) float64 { return 255 - v })
	},
	"grayscale": func([]float64) func([3]float64) [3]float64 {
		return func(v [3]float64) [3]float64 {
			gray := 255 * encoded(0.2*light(v[0])+0.7*light(v[1])+0.1*light(v[2]))
			return [3]float64{gray, gray, gray}
		}
	},
	"hue":        func(a []float64) func([3]float64) [3]float64 { return inLCh(1, 1, a[0]) },
	"saturation": func(a []float64) func([3]float64) [3]float64 { return inLCh(1, 1+a[0]/100, 0) },
	"modulate": func(a []float64) func([3]float64) [3]float64 {
		return inLCh(1+a[0]/100, 1+a[1]/100, a[2])
	},
	"curve":         curveReference,
	"exposure":      exposureReference,
	"highlights":    highlightsReference,
	"shadows":       shadowsReference,
	"vibrance":      vibranceReference,
	"white_balance": whiteBalanceReference,
}

func eachChannel(f func(v float64) float64) func([3]float64) [3]float64 {
	return func(v [3]float64) [3]float64 { return [3]float64{f(v[0]), f(v[1]), f(v[2])} }
}

// light takes the transfer curve of sRGB from a value of 0 to 255, and encoded puts it on light of any amount.
func light(v float64) float64 {
	if v/255 <= 0.04045 {
		return v / 255 / 12.92
	}
	return math.Pow((v/255+0.055)/1.055, 2.4)
}

func encoded(light float64) float64 {
	if light <= 0.0031308 {
		return 12.92 * light
	}
	return 1.055*math.Pow(light, 1/2.4) - 0.055
}

// linearXYZ is of IEC 61966-2-1.
var linearXYZ = [3][3]float64{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}

func product(m [3][3]float64, v [3]float64) (out [3]float64) {
	for row := range m {
		for n := range v {
			out[row] += m[row][n] * v[n]
		}
	}
	return out
}

// solved returns the x with m x = v, by Cramer's rule.
func solved(m [3][3]float64, v [3]float64) (x [3]float64) {
	determinant := func(m [3][3]float64) float64 {
		return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) -
			m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) +
			m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
	}
	for n := range x {
		with := m
		for row := range with {
			with[row][n] = v[row]
		}
		x[n] = determinant(with) / determinant(m)
	}
	return x
}

// inLCh multiplies lightness and chroma of CIE LCh under D65 and turns the hue.
func inLCh(lightness, chroma, degrees float64) func([3]float64) [3]float64 {
	white := [3]float64{0.95047, 1, 1.08883}
	return func(v [3]float64) (out [3]float64) {
		xyz := product(linearXYZ, [3]float64{light(v[0]), light(v[1]), light(v[2])})
		f := [3]float64{}
		for n := range f {
			f[n] = math.Cbrt(xyz[n] / white[n])
			if xyz[n]/white[n] <= 216.0/24389 {
				f[n] = (24389.0/27*xyz[n]/white[n] + 16) / 116
			}
		}
		l, a, b := lightness*(116*f[1]-16), 500*(f[0]-f[1]), 200*(f[1]-f[2])
		hue, c := math.Atan2(b, a)+degrees*math.Pi/180, chroma*math.Hypot(a, b)
		f[1] = (l + 16) / 116
		f[0], f[2] = f[1]+c*math.Cos(hue)/500, f[1]-c*math.Sin(hue)/200
		for n := range f {
			xyz[n] = white[n] * f[n] * f[n] * f[n]
			if f[n] <= 6.0/29 {
				xyz[n] = white[n] * (116*f[n] - 16) * 27 / 24389
			}
		}
		for n, light := range solved(linearXYZ, xyz) {
			out[n] = 255 * encoded(light)
		}
		return out
	}
}

// curveReference draws the cubics of Fritsch and Carlson as Bézier curves.
func curveReference(a []float64) func([3]float64) [3]float64 {
	xs, ys := []float64{}, []float64{}
	for n := 1; n < len(a); n += 2 {
		xs, ys = append(xs, a[n]), append(ys, a[n+1])
	}
	if xs[0] >= 1.0/256 {
		xs, ys = slices.Insert(xs, 0, 0), slices.Insert(ys, 0, 0)
	}
	if xs[len(xs)-1] <= 255-1.0/256 {
		xs, ys = append(xs, 255), append(ys, 255)
	}
	last := len(xs) - 1
	secant := func(n int) float64 { return (ys[n+1] - ys[n]) / (xs[n+1] - xs[n]) }
	slopes := make([]float64, last+1)
	slopes[0], slopes[last] = secant(0), secant(last-1)
	for n := 1; n < last; n++ {
		if math.Signbit(secant(n-1)) == math.Signbit(secant(n)) {
			slopes[n] = (secant(n-1) + secant(n)) / 2
		}
	}
	for n := range last {
		if secant(n) == 0 {
			slopes[n], slopes[n+1] = 0, 0
		} else if r := math.Hypot(slopes[n], slopes[n+1]) / math.Abs(secant(n)); r > 3 {
			slopes[n], slopes[n+1] = slopes[n]*3/r, slopes[n+1]*3/r
		}
	}
	between := func(p, q, t float64) float64 { return p + t*(q-p) }
	line := func(v float64) float64 {
		if v <= xs[0] {
			return ys[0] + slopes[0]*(v-xs[0])
		}
		if v >= xs[last] {
			return ys[last] + slopes[last]*(v-xs[last])
		}
		n := slices.IndexFunc(xs, func(x float64) bool { return x > v }) - 1
		third := (xs[n+1] - xs[n]) / 3
		t := (v - xs[n]) / (3 * third)
		points := []float64{ys[n], ys[n] + third*slopes[n], ys[n+1] - third*slopes[n+1], ys[n+1]}
		for len(points) > 1 { // de Casteljau
			for i := range len(points) - 1 {
				points[i] = between(points[i], points[i+1], t)
			}
			points = points[:len(points)-1]
		}
		return points[0]
	}
	return func(v [3]float64) [3]float64 {
		for n := range v {
			if a[0] == 3 || int(a[0]) == n {
				v[n] = line(v[n])
			}
		}
		return v
	}
}

// exposureReference compresses light above one half of white in the largest and the smallest channel; the one between
// keeps its place. Less exposure compresses nothing.
func exposureReference(a []float64) func([3]float64) [3]float64 {
	gain := math.Pow(2, a[0])
	curve := func(v float64) float64 {
		l := gain * light(v)
		if gain > 1 && l > 0.5 {
			t, m := 2*l-1, 2*gain-1
			l = 0.5 + 0.5*t*(1+t/(m*m))/(1+t)
		}
		return 255 * encoded(l)
	}
	if gain <= 1 {
		return eachChannel(curve)
	}
	return func(v [3]float64) [3]float64 {
		most, least := max(v[0], v[1], v[2]), min(v[0], v[1], v[2])
		return stretched(v, most, least, curve(most), curve(least))
	}
}

// stretched moves the largest and the smallest value, and those between in proportion.
func stretched(v [3]float64, most, least, high, low float64) [3]float64 {
	return eachChannel(func(v float64) float64 {
		if most == least {
			return high
		}
		return low + (high-low)*(v-least)/(most-least)
	})(v)
}

// along follows the speed for a time in small steps, by the midpoint rule.
func along(v, time float64, speed func(v float64) float64) float64 {
	const steps = 2000
	h := time / steps
	for range steps {
		v += h * speed(v+h/2*speed(v))
	}
	return v
}

func highlightsReference(a []float64) func([3]float64) [3]float64 {
	return ratioReference(a, func(v float64) float64 { return v * v * v * v * (1 - v) }, 1)
}

func shadowsReference(a []float64) func([3]float64) [3]float64 {
	return ratioReference(a, func(v float64) float64 { w := 1 - v; return v * w * w * w * w }, math.Exp(0.012*a[0]))
}

// ratioReference moves values along a speed; the smallest channel keeps its ratio to the largest if it would be
// brighter. start is the slope of the curve at black.
func ratioReference(a []float64, speed func(v float64) float64, start float64) func([3]float64) [3]float64 {
	curve := [256]float64{}
	for v := range curve {
		curve[v] = 255 * along(float64(v)/255, 0.012*a[0], speed)
	}
	return func(v [3]float64) [3]float64 {
		most, least := max(v[0], v[1], v[2]), min(v[0], v[1], v[2])
		ratio := start
		if most > 0 {
			ratio = curve[int(most)] / most
		}
		return stretched(v, most, least, curve[int(most)], min(curve[int(least)], least*ratio))
	}
}

func vibranceReference(a []float64) func([3]float64) [3]float64 {
	luminance := func(v [3]float64) float64 { return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2] }
	return func(v [3]float64) [3]float64 {
		most, least := max(v[0], v[1], v[2]), min(v[0], v[1], v[2])
		if most == least {
			return v
		}
		skin := 0.0
		if v[0] == most { // red: hues from -60 to 60 degrees
			near := max(0, 1-math.Abs(60*(v[1]-v[2])/(most-least)-25)/35)
			skin = near * near * (3 - 2*near)
		}
		s := (most - least) / most
		g := math.Exp(0.007 * a[0] * (1 - skin/2))
		grown := s * g / (1 + s*(g-1))
		out := eachChannel(func(v float64) float64 { return most - (most-v)*grown/s })(v)
		scale := min(luminance(v)/luminance(out), 255/most)
		return eachChannel(func(v float64) float64 { return v * scale })(out)
	}
}

// whiteBalanceReference adapts colors in the cones of Bradford from the light that is named to that of 6500 kelvin.
func whiteBalanceReference(a []float64) func([3]float64) [3]float64 {
	bradford := [3][3]float64{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	krystek := func(t float64) (u, v float64) {
		u = (0.860117757 + 1.54118254e-4*t + 1.28641212e-7*t*t) / (1 + 8.42420235e-4*t + 7.08145163e-7*t*t)
		v = (0.317398726 + 4.22806245e-5*t + 4.20481691e-8*t*t) / (1 - 2.89741816e-5*t + 1.61456053e-7*t*t)
		return u, v
	}
	cones := func(kelvin, tint float64) [3]float64 {
		u, v := krystek(kelvin)
		warmer, above := krystek(kelvin + 1)
		along, up := warmer-u, above-v
		u += tint / 3000 * up / math.Hypot(along, up)
		v -= tint / 3000 * along / math.Hypot(along, up)
		x, y := 3*u/(2*u-8*v+4), 2*v/(2*u-8*v+4)
		return product(bradford, [3]float64{x / y, 1, (1 - x - y) / y})
	}
	from, to := cones(a[0], a[1]), cones(6500, 0)
	adapted := func(rgb [3]float64) [3]float64 {
		c := product(bradford, product(linearXYZ, rgb))
		for n := range c {
			c[n] *= to[n] / max(from[n], 0.005) // no light leaves a cone dark
		}
		return solved(linearXYZ, solved(bradford, c))
	}
	luminance := func(rgb [3]float64) float64 { return product(linearXYZ, rgb)[1] }
	white := luminance(adapted([3]float64{1, 1, 1}))
	return func(v [3]float64) [3]float64 {
		rgb := adapted([3]float64{light(v[0]), light(v[1]), light(v[2])})
		for n := range rgb {
			rgb[n] /= white
		}
		y, most := luminance(rgb), max(rgb[0], rgb[1], rgb[2])
		kept := 1.0
		if most > 1 { // what is too bright for a channel goes to the others
			kept = max(0, (1-y)/(most-y))
		}
		return eachChannel(func(l float64) float64 { return 255 * encoded(y+kept*(l-y)) })(rgb)
	}
}
