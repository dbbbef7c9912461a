package vips

import (
	"math"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/oklab"
)

// then returns the shape that applies both.
func (f toneShape) then(next toneShape) toneShape {
	return func(v float64) float64 { return next(bounded(f(v))) }
}

// curves returns the stage of curve(): for one of the three channels or for all.
func curves(c imaging.Call) tone {
	curve := c.Arg("points").Curve
	t := tone{kind: toneCurves}
	for b, name := range []string{"r", "g", "b"} {
		t.curves[b] = func(v float64) float64 { return v }
		if curve.Channel == "" || curve.Channel == name {
			t.curves[b] = curve.Line()
		}
	}
	return t
}

// shoulder is the linear light, where white is 1, above which a higher exposure is compressed.
const shoulder = 0.5

// exposure multiplies light by a power of two. Light that would exceed white is compressed with a rational function
// that maps the brightest light exactly to white: E. Reinhard et al., Photographic tone reproduction for digital
// images, 2002, equation 4.
func exposure(stops float64) toneShape {
	gain := math.Exp2(stops)
	most := (gain - shoulder) / (1 - shoulder)
	return func(v float64) float64 {
		light := gain * oklab.Linear(v/255)
		if over := (light - shoulder) / (1 - shoulder); gain > 1 && over > 0 {
			light = shoulder + (1-shoulder)*over*(1+over/(most*most))/(1+over)
		}
		return 255 * oklab.Encoded(light)
	}
}

const (
	reach       = 1.2 // effect of 100 percent of highlights or shadows
	mostAmounts = 10  // max total, as a multiple of 100 percent
)

// highlights moves bright values along v^4 (1 - v). Black and white stay, and opposite amounts cancel out.
func highlights(amount float64) toneShape {
	time := reach * min(max(amount, -mostAmounts), mostAmounts)
	return flow(time, func(v float64) float64 { return v * v * v * v * (1 - v) })
}

// shadows is the mirror image of highlights.
func shadows(amount float64) toneShape {
	mirrored := highlights(-amount)
	return func(v float64) float64 { return 255 - mirrored(255-v) }
}

// flow moves a value of 0..1 with the given speed for the given time. Such functions are monotonic, and times add up.
func flow(time float64, speed func(v float64) float64) toneShape {
	steps := 12 * max(int(math.Ceil(math.Abs(time)/reach)), 1) // Runge-Kutta steps
	h := time / float64(steps)
	return func(v float64) float64 {
		x := v / 255
		if x <= 0 || x >= 1 {
			return v
		}
		for range steps {
			a := speed(x)
			b := speed(x + h/2*a)
			c := speed(x + h/2*b)
			d := speed(x + h*c)
			x += h / 6 * (a + 2*b + 2*c + d)
		}
		return 255 * x
	}
}

// darkestCone is the min response of a cone to light, where white has about 1. Impossible chromaticities, for example
// 2000 kelvin with a tint of 30, would otherwise result in a negative gain.
const darkestCone = 0.005

// whiteBalance returns the matrix of linear sRGB that maps light of the given temperature and tint, which the camera
// shows as white, to light of 6500 kelvin. Colors are adapted in the cone space of Bradford (ICC.1:2022, annex E).
func whiteBalance(kelvin, tint float64) [9]float64 {
	from, to := conesOf(kelvin, tint), conesOf(imaging.NeutralKelvin, 0)
	scale := matrix3{}
	for n := range 3 {
		scale[4*n] = to[n] / max(from[n], darkestCone)
	}
	cones := bradford.times(xyzOfRGB)
	m := cones.inverse().times(scale).times(cones)
	light := xyzOfRGB.of(m.of([3]float64{1, 1, 1}))[1]
	for n := range m { // gray keeps its brightness
		m[n] /= light
	}
	return m
}

// conesOf returns the response of Bradford's cones to light of the given temperature and tint that is as bright as
// white.
func conesOf(kelvin, tint float64) [3]float64 {
	u, v := planckian(kelvin)
	// Perpendicular to the line of temperatures, with Adobe's scale of tint (DNG SDK, dng_temperature.cpp).
	du, dv := planckian(kelvin + 1)
	du, dv = du-u, dv-v
	length := math.Hypot(du, dv) * 3000
	u, v = u+tint*dv/length, v-tint*du/length
	x, y := 3*u/(2*u-8*v+4), 2*v/(2*u-8*v+4)
	return bradford.of([3]float64{x / y, 1, (1 - x - y) / y})
}

// planckian returns the chromaticity of a black body, CIE 1960 UCS: M. Krystek, An algorithm to calculate correlated
// colour temperature, 1985.
func planckian(t float64) (u, v float64) {
	return (0.860117757 + 1.54118254e-4*t + 1.28641212e-7*t*t) / (1 + 8.42420235e-4*t + 7.08145163e-7*t*t),
		(0.317398726 + 4.22806245e-5*t + 4.20481691e-8*t*t) / (1 - 2.89741816e-5*t + 1.61456053e-7*t*t)
}

// matrix3 is a 3 x 3 matrix, row by row.
type matrix3 [9]float64

var (
	bradford = matrix3{0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296}
	// IEC 61966-2-1
	xyzOfRGB = matrix3{0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505}
)

func (m matrix3) of(v [3]float64) (out [3]float64) {
	for n := range out {
		out[n] = m[3*n]*v[0] + m[3*n+1]*v[1] + m[3*n+2]*v[2]
	}
	return out
}

// times returns the matrix that applies o, then m.
func (m matrix3) times(o matrix3) (out matrix3) {
	for column := range 3 {
		for row, v := range m.of([3]float64{o[column], o[3+column], o[6+column]}) {
			out[3*row+column] = v
		}
	}
	return out
}

func (m matrix3) inverse() (out matrix3) {
	minor := func(row, column int) float64 {
		a, b, c, d := (row+1)%3, (row+2)%3, (column+1)%3, (column+2)%3
		return m[3*a+c]*m[3*b+d] - m[3*a+d]*m[3*b+c]
	}
	determinant := m[0]*minor(0, 0) + m[1]*minor(0, 1) + m[2]*minor(0, 2)
	for row := range 3 {
		for column := range 3 {
			out[3*column+row] = minor(row, column) / determinant
		}
	}
	return out
}
