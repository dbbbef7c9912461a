package demo

import (
	"image"
	"math"
)

// landscape describes a view over ridges and a lake.
type landscape struct {
	sky        ramp // from the zenith to the horizon
	near, far  tint // colors of the nearest and the farthest ridge; far ones fade into the sky
	sun        tint
	sunX, sunY float64
	sunSize    float64
	lake       float64 // where the water starts, 0..1; 1: no water
	seed       int
}

var (
	dawn = landscape{
		sky:  ramp{hex(0x1d2b53), hex(0x4a4e8f), hex(0xc06c84), hex(0xf8b195), hex(0xffe1b0)},
		near: hex(0x141a2e), far: hex(0xb98aa0), sun: hex(0xfff3d0),
		sunX: 0.66, sunY: 0.44, sunSize: 0.045, lake: 0.78, seed: 11}
	dunes = landscape{
		sky:  ramp{hex(0x0b1026), hex(0x1b2a58), hex(0x3d5a8a), hex(0x9fb4c7)},
		near: hex(0x2a1a12), far: hex(0x8d7b74), sun: hex(0xf4f1de),
		sunX: 0.32, sunY: 0.2, sunSize: 0.07, lake: 1, seed: 47}
	forest = landscape{
		sky:  ramp{hex(0x7fb7be), hex(0xb8d8d8), hex(0xe8f1e4), hex(0xfff8e1)},
		near: hex(0x12332b), far: hex(0x9cc5b0), sun: hex(0xffffff),
		sunX: 0.25, sunY: 0.3, sunSize: 0.035, lake: 0.86, seed: 83}
)

const ridges = 6

// draw paints the landscape. It has soft gradients, edges and grain, so encoders treat it like a photograph.
func (l *landscape) draw(width, height int) image.Image {
	aspect := float64(width) / float64(height)
	lines, hazes := l.ridgeLines(width, aspect), l.hazes()
	return paint(width, height, func(x, y float64) tint {
		column := &lines[int(x*float64(width))]
		c := l.above(x, y, aspect, &hazes, func(i int) bool { return y > column[i] })
		if y > l.lake {
			depth := (y - l.lake) / (1 - l.lake)
			ripple := (fractal(x*40*aspect, y*220, 3, l.seed+5) - 0.5) * 0.05 * (0.3 + depth)
			x, y := x+ripple, 2*l.lake-y+ripple*2
			mirrored := l.above(x, y, aspect, &hazes, func(i int) bool { return l.under(x*aspect, y, i) })
			c = mix(mirrored.scale(0.86), l.near, 0.18+0.35*depth)
		}
		grain := (random(int(x*float64(width)), int(y*float64(height)), l.seed) - 0.5) * 0.018
		return tint{c.r + grain, c.g + grain, c.b + grain}
	})
}

// above returns the color above the water: sky, sun, clouds, ridges. under reports whether the position is below the
// line of ridge i.
func (l *landscape) above(x, y, aspect float64, hazes *[ridges]tint, under func(i int) bool) tint {
	horizon := min(l.lake, 0.8)
	for i := ridges - 1; i >= 0; i-- {
		if under(i) {
			depth := depthOf(i)
			texture := fractal(x*60*aspect, y*60, 3, l.seed+i) - 0.5
			return mix(hazes[i].scale(1+0.25*texture*depth), l.sky.at(1), 0.35*(1-depth))
		}
	}
	c := l.sky.at(y / horizon)
	clouds := fractal(x*3*aspect, y*9, 5, l.seed+100)
	c = mix(c, l.sun, max(0, clouds-0.52)*1.3*(0.3+y))
	distance := math.Hypot((x-l.sunX)*aspect, y-l.sunY)
	c = mix(c, l.sun, 0.55*math.Exp(-distance*distance*14))
	return mix(l.sun, c, (distance-l.sunSize)/0.004)
}

// hazes returns the color of each ridge.
func (l *landscape) hazes() (list [ridges]tint) {
	for i := range list {
		list[i] = mix(l.far, l.near, math.Pow(depthOf(i), 1.2))
	}
	return list
}

// depthOf returns the depth of a ridge; 1 is nearest.
func depthOf(ridge int) float64 { return float64(ridge) / (ridges - 1) }

// ridgeLines returns the heights of all ridges in each column. They are precomputed, because most pixels need them.
func (l *landscape) ridgeLines(width int, aspect float64) [][ridges]float64 {
	lines := make([][ridges]float64, width)
	for column := range lines {
		for i := range ridges {
			lines[column][i] = l.ridge((float64(column)+0.5)/float64(width)*aspect, depthOf(i))
		}
	}
	return lines
}

// under reports whether y is below the line of a ridge at x. Far from the line, it answers without computing the line.
func (l *landscape) under(x, y float64, ridge int) bool {
	depth := depthOf(ridge)
	middle, height := l.ridgeRange(depth)
	if math.Abs(y-middle) > height/2 {
		return y > middle
	}
	return y > l.ridge(x, depth)
}

// ridge returns the height of a ridge line at x.
func (l *landscape) ridge(x, depth float64) float64 {
	middle, height := l.ridgeRange(depth)
	return middle - (fractal(x*(1.6+depth*1.5)+depth*17, depth*31, 6, l.seed)-0.5)*height
}

// ridgeRange returns the middle of a ridge line and the max difference between its highest and lowest points.
func (l *landscape) ridgeRange(depth float64) (middle, height float64) {
	return min(l.lake, 0.8) - 0.27 + 0.29*depth, 0.3 - 0.13*depth
}
