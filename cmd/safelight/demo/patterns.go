package demo

import (
	"image"
	"image/color"
	"math"
	"math/cmplx"
)

// julia paints a Julia set with smooth colours.
func julia(width, height int) image.Image {
	colours := ramp{hex(0x05051e), hex(0x1b3a6b), hex(0x2f9e9a), hex(0xf2e9c4), hex(0xe07a3f), hex(0x6a1b3c),
		hex(0x05051e)}
	c := complex(-0.7435, 0.1314)
	return paint(width, height, func(x, y float64) tint {
		z := complex((x-0.5)*3.1, (y-0.5)*3.1*float64(height)/float64(width))
		for n := range 220 {
			if real(z)*real(z)+imag(z)*imag(z) > 16*16 {
				smooth := float64(n) + 1 - math.Log2(math.Log2(cmplx.Abs(z)))
				t := math.Sqrt(smooth/220) * 2.4
				return colours.at(t - math.Floor(t))
			}
			z = z*z + c
		}
		return colours[0]
	})
}

// facets paints a low-poly gradient: the plane is divided into triangles of one color each.
func facets(width, height int) image.Image {
	colours := ramp{hex(0xff6b6b), hex(0xf7b267), hex(0xf4e285), hex(0x8cd790), hex(0x5b8e7d), hex(0x355070)}
	const cells = 11.0
	aspect := float64(height) / float64(width)
	return paint(width, height, func(x, y float64) tint {
		u, v := x*cells, y*cells*aspect
		u += (noise(u*0.6, v*0.6, 3) - 0.5) * 0.9
		v += (noise(u*0.6, v*0.6, 4) - 0.5) * 0.9
		i, j := math.Floor(u), math.Floor(v)
		half := 0
		if (u-i)+(v-j) > 1 {
			half = 1
		}
		light := random(int(i)*2+half, int(j), 9)
		return colours.at((i+j*0.9)/(cells*1.5) + light*0.12).scale(0.9 + 0.2*light)
	})
}

// arcs paints Truchet tiles: quarter circles that join into endless lines.
func arcs(side int) image.Image {
	const tiles = 9.0
	paper, ink, accent := hex(0xfaf3e3), hex(0x1f3b4d), hex(0xd1495b)
	return paint(side, side, func(x, y float64) tint {
		u, v := x*tiles, y*tiles
		i, j := int(u), int(v)
		u, v = u-math.Floor(u), v-math.Floor(v)
		if random(i, j, 21) < 0.5 {
			u = 1 - u
		}
		d := min(math.Abs(math.Hypot(u, v)-0.5), math.Abs(math.Hypot(1-u, 1-v)-0.5))
		line := mix(ink, accent, fractal(x*2, y*2, 2, 5)*2.4-0.8)
		return mix(line, paper, (d-0.14)*tiles*6)
	})
}

// bubbles paints translucent discs on a transparent background; their soft rims show whether a resize handles alpha
// correctly.
func bubbles(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	colours := ramp{hex(0x5f0f40), hex(0xe36414), hex(0xfb8b24), hex(0x0f4c5c), hex(0x2ec4b6)}
	for n := range 26 {
		radius := (0.04 + 0.13*random(n, 2, 71)) * float64(height)
		cx, cy := random(n, 0, 71)*float64(width), random(n, 1, 71)*float64(height)
		colour := colours.at(random(n, 3, 71))
		for j := max(0, int(cy-radius)); j < min(height, int(cy+radius)+1); j++ {
			for i := max(0, int(cx-radius)); i < min(width, int(cx+radius)+1); i++ {
				d := math.Hypot(float64(i)-cx, float64(j)-cy) / radius
				if d < 1 {
					alpha := (0.3 + 0.5*d*d) * min(1, (1-d)*radius/2)
					img.SetNRGBA(i, j, over(colour.scale(1.15-0.3*d), alpha, img.NRGBAAt(i, j)))
				}
			}
		}
	}
	return img
}

// over composites a tint with the opacity alpha over a pixel that may be transparent.
func over(c tint, alpha float64, below color.NRGBA) color.NRGBA {
	under := float64(below.A) / 255 * (1 - alpha)
	total := alpha + under
	if total == 0 {
		return color.NRGBA{}
	}
	out := mix(tint{float64(below.R) / 255, float64(below.G) / 255, float64(below.B) / 255}, c, alpha/total).opaque()
	return color.NRGBA{out.R, out.G, out.B, uint8(total*255 + 0.5)}
}
