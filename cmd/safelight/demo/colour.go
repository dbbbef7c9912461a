package demo

import (
	"image"
	"image/color"
	"math"
)

// tint is a linear color, 0..1 per channel.
type tint struct{ r, g, b float64 }

// hex returns the tint of 0xRRGGBB.
func hex(v uint32) tint {
	return tint{float64(v>>16&255) / 255, float64(v>>8&255) / 255, float64(v&255) / 255}
}

// mix interpolates from a to b as t goes from 0 to 1.
func mix(a, b tint, t float64) tint {
	t = min(max(t, 0), 1)
	return tint{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

// scale multiplies every channel.
func (c tint) scale(f float64) tint { return tint{c.r * f, c.g * f, c.b * f} }

// opaque converts a tint to an opaque color.
func (c tint) opaque() color.RGBA {
	channel := func(v float64) uint8 { return uint8(min(max(v, 0), 1)*255 + 0.5) }
	return color.RGBA{channel(c.r), channel(c.g), channel(c.b), 255}
}

// ramp is a gradient through several tints at equal distances.
type ramp []tint

// at returns the colour at t, 0..1.
func (r ramp) at(t float64) tint {
	t = min(max(t, 0), 1) * float64(len(r)-1)
	i := min(int(t), len(r)-2)
	return mix(r[i], r[i+1], t-float64(i))
}

// paint renders a picture from a function of the position; x and y run from 0 to 1.
func paint(width, height int, colour func(x, y float64) tint) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height)) // image/jpeg encodes it several times as fast as NRGBA
	for j := range height {
		for i := range width {
			img.SetRGBA(i, j, colour((float64(i)+0.5)/float64(width), (float64(j)+0.5)/float64(height)).opaque())
		}
	}
	return img
}

// random returns a number in 0..1 that depends only on its arguments.
func random(x, y, seed int) float64 {
	h := uint32(x)*374761393 + uint32(y)*668265263 + uint32(seed)*2246822519
	h = (h ^ h>>13) * 1274126177
	h ^= h >> 16
	return float64(h) / math.MaxUint32
}

// noise is smooth value noise, 0..1.
func noise(x, y float64, seed int) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	ease := func(t float64) float64 { return t * t * (3 - 2*t) }
	i, j, u, v := int(fx), int(fy), ease(x-fx), ease(y-fy)
	top := random(i, j, seed)*(1-u) + random(i+1, j, seed)*u
	bottom := random(i, j+1, seed)*(1-u) + random(i+1, j+1, seed)*u
	return top*(1-v) + bottom*v
}

// fractal adds octaves of noise, each with twice the frequency and half the amplitude; 0..1.
func fractal(x, y float64, octaves, seed int) float64 {
	sum, weight, total := 0.0, 1.0, 0.0
	for o := range octaves {
		sum += noise(x, y, seed+o) * weight
		total += weight
		x, y, weight = x*2, y*2, weight/2
	}
	return sum / total
}
