package gainmap

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// View is the part of the stored source that a result shows. Source and result both have sides of length 1. A point at
// x from the left of the result is at X.Start + X.Length * x in the source, and likewise for y from the top. With
// Swapped, X belongs to y and Y to x.
type View struct {
	X, Y    Interval
	Swapped bool
}

// Interval is a part of an axis; a negative length means the opposite direction.
type Interval struct{ Start, Length float64 }

// Forward returns the start of the interval from the left or the top, and its positive length, which is at least 1 for
// intervals in pixels.
func (i Interval) Forward() (start, length float64) {
	return min(i.Start, i.Start+i.Length), max(math.Abs(i.Length), 1)
}

// ViewOf returns the part of its source that the plan's result shows, if the result is a JPEG that keeps the HDR gain
// map of the source. The result may only be turned, cropped, scaled and sharpened. ok is false if the map would no
// longer match, or if metadata is not wanted.
func ViewOf(p imaging.Plan) (v View, ok bool) {
	h := p.Request.Header
	if _, preview := p.Call("preview"); preview { // an editor compares previews with others that have no map
		return v, false
	}
	if h.Format != imaging.JPEG || h.GainMap == (imaging.GainMap{}) || p.Pending != "" || p.Straighten.Angle != 0 ||
		p.Colour.Space == "cmyk" ||
		len(p.Encode) == 0 ||
		p.Encode[0].StripAll {
		return v, false
	}
	v = View{X: Interval{0, 1}, Y: Interval{0, 1}}
	v.turn(p.Turn.Degrees)
	if p.Turn.Mirror {
		v.mirror(true)
	}
	v.turn(-p.Turn.Orient)
	now := p.Upright
	if p.Trim != nil {
		now = v.cut(p.Trim.Keep, now)
	}
	v.cut(p.Cropped, now)
	v.cut(p.Window.Rect, p.Scaled)
	if p.HFlip {
		v.mirror(true)
	}
	if p.VFlip {
		v.mirror(false)
	}
	for _, s := range p.Filters {
		if s.Skip {
			continue
		}
		switch s.Call.Name {
		case "crop", "trim":
			v.cut(s.Rect, s.Before.Size())
		case "rotate":
			v.turn(-s.Call.Int("degrees"))
		case "proportion", "sharpen":
		default:
			return v, false
		}
	}
	return v, true
}

// across and down return the axis of the source that is horizontal in the result, and the other one.
func (v *View) across() *Interval {
	if v.Swapped {
		return &v.Y
	}
	return &v.X
}

func (v *View) down() *Interval {
	if v.Swapped {
		return &v.X
	}
	return &v.Y
}

// cut crops the result, which has the size of, to a region, and returns the new size. The zero Rect keeps everything.
func (v *View) cut(r imaging.Rect, of imaging.Size) imaging.Size {
	if r.Empty() {
		return of
	}
	v.across().cut(float64(r.Left)/float64(of.Width), float64(r.Width)/float64(of.Width))
	v.down().cut(float64(r.Top)/float64(of.Height), float64(r.Height)/float64(of.Height))
	return r.Size()
}

func (i *Interval) cut(start, length float64) {
	i.Start, i.Length = i.Start+i.Length*start, i.Length*length
}

// mirror flips the result horizontally or vertically.
func (v *View) mirror(horizontally bool) {
	i := v.down()
	if horizontally {
		i = v.across()
	}
	i.Start, i.Length = i.Start+i.Length, -i.Length
}

// turn rotates clockwise by a multiple of 90 degrees. After 90 degrees, the vertical axis starts at the former left
// edge, and the horizontal axis at the former bottom edge.
func (v *View) turn(degrees int) {
	for range imaging.QuarterTurns(degrees) {
		v.mirror(false)
		v.Swapped = !v.Swapped
	}
}
