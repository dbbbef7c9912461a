package main

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"runtime"
	"sync"
)

// scene is a landscape that resembles a photograph: sky, ridges, grass, hard edges, fine texture and sensor noise. It
// is a function of the position, 4000 wide and 3000 high regardless of the resolution.
type scene struct {
	seed uint32
	shot float64 // strength of the sensor's noise
}

// hash maps a lattice point to a pseudorandom number in 0..1.
func (s scene) hash(x, y int) float64 {
	h := uint32(x)*0x9E3779B1 ^ uint32(y)*0x85EBCA77 ^ s.seed*0xC2B2AE3D
	h ^= h >> 15
	h *= 0x2C1B3C6D
	h ^= h >> 12
	h *= 0x297A2D39
	h ^= h >> 15
	return float64(h) / math.MaxUint32
}

// value is smooth noise between the lattice points, 0..1.
func (s scene) value(x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	ix, iy := int(fx), int(fy)
	tx, ty := x-fx, y-fy
	tx, ty = tx*tx*(3-2*tx), ty*ty*(3-2*ty)
	top := s.hash(ix, iy)*(1-tx) + s.hash(ix+1, iy)*tx
	bottom := s.hash(ix, iy+1)*(1-tx) + s.hash(ix+1, iy+1)*tx
	return top*(1-ty) + bottom*ty
}

// fractal sums octaves of noise, starting with features of the given size; 0..1.
func (s scene) fractal(x, y, size float64, octaves int) float64 {
	sum, weight, all := 0.0, 1.0, 0.0
	for range octaves {
		sum += weight * s.value(x/size, y/size)
		all += weight
		weight, size = weight/2, size/2
	}
	return sum / all
}

type rgb [3]float64

func mix(a, b rgb, t float64) rgb {
	t = min(max(t, 0), 1)
	return rgb{a[0] + (b[0]-a[0])*t, a[1] + (b[1]-a[1])*t, a[2] + (b[2]-a[2])*t}
}

// at returns the color of a position, before the sensor noise.
func (s scene) at(x, y float64) rgb {
	clouds := s.fractal(x, y*2, 900, 6)
	c := mix(rgb{70, 120, 200}, rgb{245, 225, 200}, y/1700)
	c = mix(c, rgb{250, 250, 252}, (clouds-0.5)*4)
	if d := math.Hypot(x-2900, y-600); d < 190 {
		c = rgb{255, 240, 190}
	}
	for n := range 3 { // ridges: nearer ones are darker and rougher
		layer := scene{seed: s.seed + uint32(n)}
		crest := 1150 + 330*float64(n) + 420*(layer.fractal(x, float64(n)*77, 1100, 5)-0.5)
		if y > crest {
			grain := layer.fractal(x, y, 48, 5) - 0.5
			far := rgb{150 - 45*float64(n), 165 - 35*float64(n), 180 - 65*float64(n)}
			c = mix(far, rgb{40, 60, 30}, grain*2.2+0.2)
		}
	}
	if y > 2150 { // grass: noise stretched along the blades
		blade := s.fractal(x+0.3*y, y*0.18, 14, 3)
		c = mix(rgb{35, 60, 15}, rgb{170, 185, 80}, (blade-0.25)*1.9)
	}
	if x > 550 && x < 1350 && y > 1500 && y < 2400 { // a wall with windows
		c = mix(rgb{165, 95, 75}, rgb{115, 60, 50}, s.fractal(x, y, 12, 3))
		if math.Mod(y, 44) < 4 || math.Mod(x+44*math.Floor(math.Mod(y/44, 2)), 88) < 4 {
			c = rgb{190, 182, 170}
		}
		if math.Mod(x-550, 200) > 60 && math.Mod(x-550, 200) < 150 && math.Mod(y-1500, 300) > 90 &&
			math.Mod(y-1500, 300) < 230 {
			c = mix(rgb{25, 35, 50}, rgb{150, 180, 210}, math.Mod(x+y, 170)/170)
		}
	}
	return c
}

// paint renders the scene; offset moves the view, in units of the scene.
func (s scene) paint(width, height int, offset float64) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	scale := 4000 / float64(max(width, height*4/3))
	noise := scene{seed: s.seed ^ 0xABCD ^ uint32(offset)}
	var wait sync.WaitGroup
	rows := make(chan int, height)
	for y := range height {
		rows <- y
	}
	close(rows)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for y := range rows {
				for x := range width {
					c := s.at(float64(x)*scale+offset, float64(y)*scale)
					i := img.PixOffset(x, y)
					for b := range 3 {
						shot := (noise.hash(x*3+b, y) + noise.hash(x*3+b, y+height) - 1) * s.shot
						img.Pix[i+b] = clip(c[b] + shot)
					}
					img.Pix[i+3] = 255
				}
			}
		})
	}
	wait.Wait()
	return img
}

// cutOut makes everything transparent except for a rough disc, whose edge is soft over a tenth of the image's width.
func (s scene) cutOut(img *image.NRGBA) {
	size := float64(img.Rect.Dx())
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			fx, fy := float64(x)-size/2, float64(y)-size/2
			edge := size * (0.40 + 0.12*(s.fractal(float64(x), float64(y), size/6, 4)-0.5))
			alpha := clip(255 * (edge - math.Hypot(fx, fy)) / (size / 10))
			p := img.PixOffset(x, y)
			img.Pix[p+3] = alpha
			if alpha == 0 {
				copy(img.Pix[p:p+3], []byte{0, 0, 0})
			}
		}
	}
}

// disc draws a filled circle.
func disc(img *image.NRGBA, cx, cy, r float64, c color.NRGBA) {
	for y := int(cy - r); y <= int(cy+r); y++ {
		for x := int(cx - r); x <= int(cx+r); x++ {
			if (image.Point{X: x, Y: y}).In(img.Rect) && math.Hypot(float64(x)-cx, float64(y)-cy) < r {
				img.SetNRGBA(x, y, c)
			}
		}
	}
}

func clip(v float64) uint8 { return uint8(min(max(v+0.5, 0), 255)) }

// windows draws a screen: a gradient behind windows with title bars, lines of text-like strokes, icons and a
// photograph.
func windows(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	s := scene{seed: 7}
	fill := func(r image.Rectangle, c color.NRGBA) {
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	for y := range height {
		fill(image.Rect(0, y, width, y+1), color.NRGBA{uint8(30 + 40*y/height), uint8(60 + 50*y/height),
			uint8(110 + 60*y/height), 255})
	}
	for n := range 4 {
		left, top := 40+n%2*width/2, 30+n/2*height/2
		frame := image.Rect(left, top, left+width/2-80, top+height/2-60)
		fill(frame, color.NRGBA{250, 250, 250, 255})
		fill(image.Rect(frame.Min.X, top, frame.Max.X, top+28), color.NRGBA{225, 228, 232, 255})
		disc(img, float64(left+16), float64(top+14), 6, color.NRGBA{230, 90, 80, 255})
		for line, y := 0, top+44; y < frame.Max.Y-16; line, y = line+1, y+18 {
			for x := left + 20; x < frame.Max.X-20-int(s.hash(line, n)*200); x += 7 {
				if s.hash(x, y) < 0.16 { // a space
					continue
				}
				for stroke := range 3 {
					x0, y0 := x+int(s.hash(x+stroke, y+1)*4), y+int(s.hash(x, y+stroke)*4)
					fill(image.Rect(x0, y0, x0+1+stroke%2*3, y0+8-stroke*2), color.NRGBA{40, 44, 52, 255})
				}
			}
		}
	}
	draw.Draw(img, image.Rect(width*5/8, height*5/8, width*7/8, height*7/8), s.paint(width/4, height/4, 0),
		image.Point{}, draw.Src)
	return img
}
