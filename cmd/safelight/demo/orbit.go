package demo

import (
	"image"
	"image/color"
	"image/gif"
	"math"
)

const (
	orbitFrames = 24
	orbitSide   = 320
)

// orbit renders an animated GIF that loops: planets around a sun, one revolution in two seconds.
func orbit() *gif.GIF {
	colours := ramp{hex(0x0b132b), hex(0x1c2541), hex(0x3a506b), hex(0x5bc0be), hex(0xffd166), hex(0xef476f)}
	palette := make(color.Palette, 96)
	for i := range palette {
		palette[i] = colours.at(float64(i) / float64(len(palette)-1)).opaque()
	}
	anim := &gif.GIF{}
	for n := range orbitFrames {
		frame := image.NewPaletted(image.Rect(0, 0, orbitSide, orbitSide), palette)
		planets := planetsAt(float64(n) / orbitFrames)
		for j := range orbitSide {
			for i := range orbitSide {
				light := orbitLight(float64(i)/orbitSide*2-1, float64(j)/orbitSide*2-1, planets)
				frame.SetColorIndex(i, j, uint8(min(light, 1)*float64(len(palette)-1)))
			}
		}
		anim.Image = append(anim.Image, frame)
		anim.Delay = append(anim.Delay, 8)
	}
	return anim
}

// planet is a disc on a circle around the sun.
type planet struct{ x, y, distance, size float64 }

// planetsAt returns the planets at a time, 0..1.
func planetsAt(moment float64) (planets [4]planet) {
	for p := range planets {
		distance := 0.3 + 0.19*float64(p)
		angle := 2*math.Pi*(moment*float64([]int{3, 2, 1, 1}[p])+float64(p)*0.3) + 1
		planets[p] = planet{
			x: math.Cos(angle) * distance, y: math.Sin(angle) * distance * 0.8,
			distance: distance, size: 0.03 + 0.018*float64(p),
		}
	}
	return planets
}

// orbitLight returns the brightness of a point, which is 0 or more and may exceed 1.
func orbitLight(x, y float64, planets [4]planet) float64 {
	light := 0.08 + 0.9*math.Exp(-(x*x+y*y)*28)
	fromSun := math.Hypot(x, y/0.8)
	for _, p := range planets {
		dx, dy := x-p.x, y-p.y
		light = max(light, 0.9*math.Exp(-math.Pow((dx*dx+dy*dy)/(p.size*p.size), 2)))
		ring := math.Abs(fromSun - p.distance)
		light = max(light, 0.26*math.Exp(-ring*ring*9000))
	}
	return light
}
