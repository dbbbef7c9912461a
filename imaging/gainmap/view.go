package gainmap

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// View is what a result shows of its source as stored, whose sides count as 1: a point of the result, whose sides count
// as 1 as well, is at X.Start + X.Length times its place from the left, and so for Y from the top. With Swapped X goes
// with the place from the top, and Y with that from the left.
type View struct {
	X, Y    Interval
	Swapped bool
}

// Interval is a part of an axis; a negative length runs backwards.
type Interval struct{ Start, Length float64 }

// Forward returns where the interval begins from the left or the top, and its length, which is at least 1 where it is
// in pixels.
func (i Interval) Forward() (start, length float64) {
	return min(i.Start, i.Start+i.Length), max(math.Abs(i.Length), 1)
}

// ViewOf returns what the result of the plan shows of its source, for a JPEG that keeps an HDR gain map of its source:
// one that is only turned, cropped, scaled and sharpened. ok is false where the map would no longer fit, or metadata is
// not wanted.
func ViewOf(p imaging.Plan) (v View, ok bool) {
	h := p.Request.Header
	if _, preview := p.Call("preview"); preview { // an editor compares it with others that have no map
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

// across and down return the axis of the source that goes from left to right in the result, and the other.
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

// cut keeps a region of the result as it stands, of that size, and returns its size then. The zero Rect keeps all.
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

// mirror turns left to right, or top to bottom.
func (v *View) mirror(horizontally bool) {
	i := v.down()
	if horizontally {
		i = v.across()
	}
	i.Start, i.Length = i.Start+i.Length, -i.Length
}

// turn rotates clockwise by a multiple of 90 degrees: what goes down then begins where the left edge was, and what goes
// across at the bottom.
func (v *View) turn(degrees int) {
	for range imaging.QuarterTurns(degrees) {
		v.mirror(false)
		v.Swapped = !v.Swapped
	}
}
