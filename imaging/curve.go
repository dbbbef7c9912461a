package imaging

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
)

// NeutralKelvin is the temperature of light that is white in sRGB. A white balance of this value changes nothing.
const NeutralKelvin = 6500

// MaxCurvePoints is the max number of points in the curve of a filter.
const MaxCurvePoints = 8

// closestPoints is the min distance in x between two points of a curve, which keeps its slopes bounded.
const closestPoints = 1.0 / 256

// Curve is a tone curve: a smooth line from 0,0 to 255,255 through the points.
type Curve struct {
	Channel string // "r", "g", "b", or empty for all three
	points  [MaxCurvePoints][2]float64
	count   int
}

// Points returns the points x,y from 0 to 255, in the order of x.
func (c Curve) Points() [][2]float64 { return c.points[:c.count] }

// readCurve reads `[channel,]x,y,x,y`. Values out of range are clamped.
func (p Parameter) readCurve(text string) (c Curve, problem string, ok bool) {
	written := Filter{Args: text}.Arguments()
	if channel := strings.ToLower(written[0]); slices.Contains([]string{"r", "g", "b"}, channel) {
		c.Channel, written = channel, written[1:]
	}
	wrong := func(format string, a ...any) (Curve, string, bool) {
		return Curve{}, fmt.Sprintf("argument %s %s, expected %s", p.Name, fmt.Sprintf(format, a...), p.Expects()),
			false
	}
	switch {
	case len(written) == 0:
		return wrong("has no points")
	case len(written)%2 != 0:
		return wrong("has %d numbers", len(written))
	case len(written) > 2*MaxCurvePoints:
		return wrong("has %d points", len(written)/2)
	}
	for n, s := range written {
		v, valid := ParseNumber(s)
		if !valid {
			return wrong("has %s", fault.Quote(s))
		}
		if v < 0 || v > 255 {
			_, problem, _ = wrong("has %s", fault.Quote(s))
		}
		c.points[n/2][n%2] = min(max(v, 0), 255)
	}
	c.count = len(written) / 2
	for n := 1; n < c.count; n++ {
		switch x, before := c.points[n][0], c.points[n-1][0]; {
		case x <= before:
			return wrong("has x %s after %s", FormatDecimal(x), FormatDecimal(before))
		case x-before < closestPoints:
			return wrong("has x %s less than 1/256 after %s", FormatDecimal(x), FormatDecimal(before))
		}
	}
	return c, problem, true
}

// Line returns a function that computes the height of the curve at an x from 0 to 255. Beyond that range, the curve
// continues as a straight line. Between points it is a cubic whose slopes are limited, so that it never leaves the
// range of its neighbors: F. N. Fritsch and R. E. Carlson, Monotone piecewise cubic interpolation, 1980.
func (c Curve) Line() func(x float64) float64 {
	knots := c.knots()
	slopes := slopesOf(knots)
	last := len(knots) - 1
	return func(x float64) float64 {
		if x <= knots[0][0] {
			return knots[0][1] + (x-knots[0][0])*slopes[0]
		}
		if x >= knots[last][0] {
			return knots[last][1] + (x-knots[last][0])*slopes[last]
		}
		n := 0
		for knots[n+1][0] < x {
			n++
		}
		width := knots[n+1][0] - knots[n][0]
		t := (x - knots[n][0]) / width
		return knots[n][1]*(1+2*t)*(1-t)*(1-t) + width*slopes[n]*t*(1-t)*(1-t) +
			knots[n+1][1]*t*t*(3-2*t) + width*slopes[n+1]*t*t*(t-1)
	}
}

// knots returns the points, and adds the ends 0,0 and 255,255 where no point is at or close to an end.
func (c Curve) knots() [][2]float64 {
	list := slices.Clone(c.Points())
	if len(list) == 0 || list[0][0] >= closestPoints {
		list = slices.Insert(list, 0, [2]float64{0, 0})
	}
	if list[len(list)-1][0] <= 255-closestPoints {
		list = append(list, [2]float64{255, 255})
	}
	return list
}

// slopesOf returns the slope of the curve at each knot.
func slopesOf(knots [][2]float64) []float64 {
	last := len(knots) - 1
	secants := make([]float64, last)
	for n := range secants {
		secants[n] = (knots[n+1][1] - knots[n][1]) / (knots[n+1][0] - knots[n][0])
	}
	slopes := make([]float64, last+1)
	slopes[0], slopes[last] = secants[0], secants[last-1]
	for n := 1; n < last; n++ {
		if secants[n-1]*secants[n] > 0 {
			slopes[n] = (secants[n-1] + secants[n]) / 2
		}
	}
	for n, secant := range secants {
		if secant == 0 {
			slopes[n], slopes[n+1] = 0, 0
			continue
		}
		if length := math.Hypot(slopes[n]/secant, slopes[n+1]/secant); length > 3 {
			slopes[n] *= 3 / length
			slopes[n+1] *= 3 / length
		}
	}
	return slopes
}
