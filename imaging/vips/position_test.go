package vips

import (
	"fmt"
	stdimage "image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// swell is a smooth picture, gray and known between its pixels too: what a result shows at a place tells where in the
// source that is.
type swell struct{ width, height, period float64 }

// at returns the brightness at a place from the left and from the top, 0 to 255, and how much more it becomes to the
// right and down, by pixel.
func (w swell) at(x, y float64) (v, right, down float64) {
	k := 2 * math.Pi / w.period
	across, along := math.Sincos(k*x + 0.5)
	sin, cos := math.Sincos(k*y + 1)
	return 128 + 50*across + 50*cos, 50 * k * along, -50 * k * sin
}

func (w swell) picture() *stdimage.NRGBA {
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, int(w.width), int(w.height)))
	for y := range int(w.height) {
		for x := range int(w.width) {
			bright, _, _ := w.at(float64(x)+0.5, float64(y)+0.5)
			v := uint8(math.Round(bright))
			img.SetNRGBA(x, y, color.NRGBA{v, v, v, 255})
		}
	}
	return img
}

// seen says what part of the source a result shows, turned so many quarter turns clockwise, or straightened by an angle
// about its middle.
type seen struct {
	left, top, width, height float64
	turns                    int
	angle                    float64 // radians
}

// source returns where a point of a result lies in the source. The sides of the result count as 1.
func (v seen) source(x, y float64) (float64, float64) {
	for range v.turns {
		x, y = y, 1-x
	}
	sin, cos := math.Sincos(v.angle)
	x, y = (x-0.5)*v.width, (y-0.5)*v.height
	return v.left + v.width/2 + x*cos - y*sin, v.top + v.height/2 + x*sin + y*cos
}

// straightened returns what is seen of all of a picture that is straightened.
func (v seen) straightened(degrees float64) seen {
	v.angle = degrees * math.Pi / 180
	sin, cos := math.Sincos(v.angle)
	scale := min(v.width/(v.width*cos+v.height*sin), v.height/(v.width*sin+v.height*cos))
	width, height := math.Floor(v.width*scale), math.Floor(v.height*scale)
	return seen{(v.width - width) / 2, (v.height - height) / 2, width, height, 0, v.angle}
}

// accuracy is how far a result is from what it should show.
type accuracy struct {
	psnr float64 // dB
	off  float64 // the largest mean shift of a quarter of the result, in its pixels
}

// accuracyOf compares the result with the function, sampled at the middles of its pixels. The outermost pixels are left
// out: what is beyond the picture is nobody's knowledge.
func accuracyOf(w swell, v seen, got *stdimage.NRGBA) accuracy {
	const edge = 3
	width, height := got.Rect.Dx(), got.Rect.Dy()
	sum, n, off := 0.0, 0.0, 0.0
	for quarter := range 4 {
		left, top := edge+quarter%2*(width/2-edge), edge+quarter/2*(height/2-edge)
		var squares leastSquares
		for y := top; y < top+height/2-edge; y++ {
			for x := left; x < left+width/2-edge; x++ {
				bright, right, down := w.at(v.source((float64(x)+0.5)/float64(width), (float64(y)+0.5)/float64(height)))
				d := float64(got.NRGBAAt(x, y).R) - bright
				sum, n = sum+d*d, n+1
				squares.add([4]float64{right, down, 1, bright}, d)
			}
		}
		shift := squares.solve() // in pixels of the source, and what is lighter or has more contrast
		long := v.width
		if v.turns%2 == 1 {
			long = v.height
		}
		off = max(off, math.Abs(shift[0])*float64(width)/long, math.Abs(shift[1])*float64(width)/long)
	}
	return accuracy{20 * math.Log10(255/math.Sqrt(sum/n)), off}
}

// leastSquares are the normal equations of a fit of four numbers.
type leastSquares [4][5]float64

func (s *leastSquares) add(v [4]float64, want float64) {
	for i := range 4 {
		for k := range 4 {
			s[i][k] += v[i] * v[k]
		}
		s[i][4] += v[i] * want
	}
}

func (s leastSquares) solve() (x [4]float64) {
	for i := range 4 {
		for k := range 4 {
			if k == i {
				continue
			}
			f := s[k][i] / s[i][i]
			for n := range 5 {
				s[k][n] -= f * s[i][n]
			}
		}
	}
	for i := range 4 {
		x[i] = s[i][4] / s[i][i]
	}
	return x
}

// TestPositions scales smooth pictures of random sizes, whole and cropped, upright and turned, of every format and kind
// that is decoded in its own way: no part of a result is off by a tenth of a pixel, and all are nearly what sampling
// the picture itself would give.
func TestPositions(t *testing.T) {
	e := open(t)
	limits := imaging.DefaultLimits()
	limits.Timeout = 0
	kinds := map[string]func(data []byte) []byte{
		"png": func(data []byte) []byte { return data },
		"jpeg": func(data []byte) []byte {
			return processed(e, "filters:format(jpeg):quality(97)", data, t).Data
		},
		"jpeg progressive": func(data []byte) []byte {
			return libvipsMakes(t, e, data, imaging.JPEG, "Q=97,interlace=true")
		},
		"jpeg gray": func(data []byte) []byte {
			return processed(e, "filters:grayscale():format(jpeg):quality(97)", data, t).Data
		},
		"jpeg cmyk": func(data []byte) []byte {
			return processed(e, "filters:to_colorspace(cmyk):format(jpeg):quality(97)", data, t).Data
		},
		"jpeg turned": func(data []byte) []byte {
			return withOrientation(processed(e, "filters:format(jpeg):quality(97)", data, t).Data, 6)
		},
		"webp": func(data []byte) []byte {
			return processed(e, "filters:format(webp):quality(97)", data, t).Data
		},
		"webp lossless": func(data []byte) []byte {
			return processed(e, "filters:format(webp):lossless()", data, t).Data
		},
		"png interlaced": func(data []byte) []byte { return libvipsMakes(t, e, data, imaging.PNG, "interlace=true") },
		"png gray": func(data []byte) []byte {
			return processed(e, "filters:grayscale():format(png)", data, t).Data
		},
		"tiff": func(data []byte) []byte { return processed(e, "filters:format(tiff)", data, t).Data },
		"gif":  func(data []byte) []byte { return processed(e, "filters:grayscale():format(gif)", data, t).Data },
		"avif": func(data []byte) []byte { return processed(e, "filters:format(avif):quality(97)", data, t).Data },
		"jxl":  func(data []byte) []byte { return processed(e, "filters:format(jxl):quality(97)", data, t).Data },
		"jp2":  func(data []byte) []byte { return processed(e, "filters:format(jp2):quality(97)", data, t).Data },
	}
	random := rand.New(rand.NewPCG(11, 12))
	sizes, side, more := 4, 300, 700
	if testing.Short() {
		sizes, side, more = 2, 360, 240 // one that is enlarged, one that is cropped
	}
	combination := 0
	for kind, encode := range kinds {
		for n := range sizes {
			w := swell{width: float64(side + random.IntN(more)), height: float64(side + random.IntN(more))}
			v, crop := seen{width: w.width, height: w.height}, ""
			wide := w.width // upright
			if kind == "jpeg turned" {
				v.turns, wide = 1, w.height
			}
			if n%2 == 1 { // a crop is of the picture that is turned upright
				left, top := random.IntN(100), random.IntN(100)
				right, bottom := left+160+random.IntN(100), top+160+random.IntN(100)
				crop, wide = fmt.Sprintf("%dx%d:%dx%d/", left, top, right, bottom), float64(right-left)
				v.left, v.top, v.width, v.height = float64(left), float64(top), float64(right-left), float64(bottom-top)
				if v.turns == 1 {
					v.left, v.top, v.width, v.height = v.top, w.height-float64(right), v.height, v.width
				}
			}
			to := max(int(wide/(1.1+12*random.Float64()*random.Float64())), 32)
			if n == 0 { // no side is smaller
				to = int(wide * (1.1 + random.Float64()))
			}
			w.period = 16 * wide / min(float64(to), wide)
			src := sourceOf(encode(pngOf(t, w.picture())))
			for _, filters := range []string{"", "preview():", "speed(best):", "straighten(7):"} {
				if combination++; leftOut(combination) {
					continue
				}
				v := v
				if filters == "straighten(7):" {
					if crop != "" || v.turns > 0 {
						continue
					}
					v = v.straightened(7)
				}
				// half of the time would be spent on compressing results
				path := fmt.Sprintf("%s%dx0/filters:%sformat(png):compression(1)", crop, to, filters)
				r, err := e.Process(t.Context(), src, opsOf(t, path), limits)
				if err != nil {
					t.Fatalf("%s, %.0fx%.0f, %s: %v", kind, w.width, w.height, path, err)
				}
				got, err := unpacked(r)
				if err != nil {
					t.Fatal(err)
				}
				least := 45.0
				if kind == "jpeg cmyk" { // inks do not show every gray
					least = 20
				}
				if m := accuracyOf(w, v, got); m.off > 0.1 || m.psnr < least {
					t.Errorf(
						"%s, %.0fx%.0f, %s: %.1f dB, off by %.3f pixels", kind, w.width, w.height, path,
						m.psnr, m.off,
					)
				}
			}
		}
	}
}
