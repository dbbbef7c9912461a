// Package oklab measures the perceived difference between two colours. It is pure Go.
package oklab

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// Colour is a colour in OKLab: lightness 0..1, green to red, blue to yellow. Equal distances look about equally
// different. B. Ottosson, https://bottosson.github.io/posts/oklab/, matrices of 2021.
type Colour [3]float64

// Of converts an sRGB colour.
func Of(c imaging.RGB) Colour { return ofLinear(linear[c.R], linear[c.G], linear[c.B]) }

// OfChannels converts an sRGB colour whose channels, 0..255, may be fractions.
func OfChannels(r, g, b float64) Colour { return ofLinear(between(r), between(g), between(b)) }

// between is the linear table interpolated for a channel that may be a fraction.
func between(v float64) float64 {
	n := min(int(v), 254)
	return linear[n] + (v-float64(n))*(linear[n+1]-linear[n])
}

func ofLinear(r, g, b float64) Colour {
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return Colour{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// RGB converts a colour to sRGB. Colours outside the sRGB gamut are clipped.
func (c Colour) RGB() imaging.RGB {
	cube := func(v float64) float64 { return v * v * v }
	l := cube(c[0] + 0.3963377774*c[1] + 0.2158037573*c[2])
	m := cube(c[0] - 0.1055613458*c[1] - 0.0638541728*c[2])
	s := cube(c[0] - 0.0894841775*c[1] - 1.2914855480*c[2])
	return imaging.RGB{
		R: encodedOf(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		G: encodedOf(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		B: encodedOf(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
	}
}

// Chroma returns the distance of the colour from grey, 0 to about 0.32 in sRGB.
func (c Colour) Chroma() float64 { return math.Hypot(c[1], c[2]) }

// Squared returns the square of the distance between two colours.
func (c Colour) Squared(d Colour) float64 {
	x, y, z := c[0]-d[0], c[1]-d[1], c[2]-d[2]
	return x*x + y*y + z*z
}

// linear is a lookup table with the linear light of each channel value.
var linear = func() (table [256]float64) {
	for v := range table {
		table[v] = Linear(float64(v) / 255)
	}
	return table
}()

// Linear removes the transfer curve of sRGB (IEC 61966-2-1), and Encoded applies it. Black is 0 and white is 1. Below
// 0, both continue as odd functions.
func Linear(v float64) float64 {
	switch {
	case v < 0:
		return -Linear(-v)
	case v > 0.04045:
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return v / 12.92
}

// Encoded is the inverse of Linear.
func Encoded(v float64) float64 {
	switch {
	case v < 0:
		return -Encoded(-v)
	case v > 0.0031308:
		return 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return 12.92 * v
}

func encodedOf(v float64) uint8 { return uint8(math.Round(255 * min(max(Encoded(v), 0), 1))) }
