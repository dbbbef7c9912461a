package vips

import (
	gimage "image"
	"math"

	"go.n16f.net/thumbhash"
)

// thumbHashOf returns the ThumbHash of a picture of at most 128 pixels a side. An opaque one, as most are, is hashed
// here in a tenth of the time that the package takes, which sums up all pixels for each wave: row by row first, then
// down.
func thumbHashOf(pixels *gimage.NRGBA) []byte {
	width, height := pixels.Rect.Dx(), pixels.Rect.Dy()
	for p := pixels.Pix; len(p) >= 4; p = p[4:] {
		if p[3] != 255 {
			return thumbhash.EncodeImage(pixels)
		}
	}
	longest := float64(max(width, height))
	h := thumbhash.Hash{
		Lx:          max(1, int(math.Round(7*float64(width)/longest))),
		Ly:          max(1, int(math.Round(7*float64(height)/longest))),
		IsLandscape: width > height,
	}
	w := wavesOf(pixels, max(h.Lx, 3), max(h.Ly, 3))
	h.LDC, h.LAC, h.LScale = w.channel(0, max(h.Lx, 3), max(h.Ly, 3))
	h.PDC, h.PAC, h.PScale = w.channel(1, 3, 3)
	h.QDC, h.QAC, h.QScale = w.channel(2, 3, 3)
	return h.Encode()
}

// maxWaves is how many waves a ThumbHash has a direction.
const maxWaves = 7

// waves is the discrete cosine transform of a picture: of its brightness, of yellow less blue and of red less green, by
// the vertical and then the horizontal wave.
type waves [3][maxWaves][maxWaves]float64

// wavesOf returns the lowest waves of an opaque picture, which has at most 128 pixels a side.
func wavesOf(pixels *gimage.NRGBA, across, down int) (w waves) {
	width, height := pixels.Rect.Dx(), pixels.Rect.Dy()
	wavesAcross, wavesDown := cosines(width), cosines(height)
	for y := range height {
		var row [3][maxWaves]float64
		line := pixels.Pix[y*pixels.Stride:]
		for x := range width {
			p := line[x*4 : x*4+4]
			r, g, b := float64(p[0]), float64(p[1]), float64(p[2])
			light, yellow, red := (r+g+b)/3, (r+g)/2-b, r-g
			c := &wavesAcross[x]
			for n := range across {
				row[0][n] += light * c[n]
			}
			for n := range 3 {
				row[1][n] += yellow * c[n]
				row[2][n] += red * c[n]
			}
		}
		for k := range row {
			for v := range down {
				for u := range across {
					w[k][v][u] += row[k][u] * wavesDown[y][v]
				}
			}
		}
	}
	for k := range w {
		for v := range w[k] {
			for u := range w[k][v] {
				w[k][v][u] /= 255 * float64(width*height)
			}
		}
	}
	return w
}

// cosines returns the waves of a side of that many pixels, at each of them.
func cosines(side int) [][maxWaves]float64 {
	list := make([][maxWaves]float64, side)
	for x := range list {
		for n := range list[x] {
			list[x][n] = math.Cos(math.Pi / float64(side) * float64(n) * (float64(x) + 0.5))
		}
	}
	return list
}

// channel returns the mean of a channel, its waves from 0 to 1, and the height of the highest.
func (w *waves) channel(k, across, down int) (mean float64, list []float64, scale float64) {
	for v := range down {
		for u := 0; u*down < across*(down-v); u++ {
			if u > 0 || v > 0 {
				list = append(list, w[k][v][u])
				scale = max(scale, math.Abs(w[k][v][u]))
			}
		}
	}
	if scale > 0 {
		for n := range list {
			list[n] = 0.5 + 0.5/scale*list[n]
		}
	}
	return w[k][0][0], list, scale
}
