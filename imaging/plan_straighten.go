package imaging

import "math"

// minAngle is the smallest angle in degrees that has an effect: it moves the corners of the largest picture by half a
// pixel.
const minAngle = 0.001

// straightenedBy returns by how many degrees a call of straighten() rotates.
func straightenedBy(c Call) float64 {
	if angle := c.Float("angle"); math.Abs(angle) >= minAngle {
		return angle
	}
	return 0
}

// angle returns by how many degrees the picture is straightened: as the last straighten() says.
func (p *planner) angle() float64 {
	c, _ := p.plan.Call("straighten")
	return straightenedBy(c)
}

// straighten plans the rotation of the upright picture.
func (p *planner) straighten() error {
	angle := p.angle()
	if angle == 0 {
		return nil
	}
	source := p.plan.Upright.straightened(angle)
	o, middle := &p.origin, p.plan.Upright
	// Based on the source's own pixels instead of the decoded ones, whose rounding changes the aspect ratio.
	keep := Size{
		int(math.Ceil(snapped(float64(source.Width) * o.scaleX))),
		int(math.Ceil(snapped(float64(source.Height) * o.scaleY))),
	}
	p.plan.Straighten = Straighten{
		angle,
		keep,
		float64(middle.Width)/2*o.scaleX - o.offsetX,
		float64(middle.Height)/2*o.scaleY - o.offsetY,
	}
	p.now.Width, p.now.Height = keep.Width, keep.Height
	o.offsetX = (float64(source.Width)*o.scaleX - float64(keep.Width)) / 2
	o.offsetY = (float64(source.Height)*o.scaleY - float64(keep.Height)) / 2
	return nil
}

// straightened returns the size of the largest rectangle of the same aspect ratio inside a picture of size s that is
// rotated by the given degrees around its center. A side has at least one pixel; the zero Size stays.
func (s Size) straightened(degrees float64) Size {
	if degrees == 0 || !s.Known() {
		return s
	}
	sin, cos := math.Sincos(math.Abs(degrees) * math.Pi / 180)
	w, h := float64(s.Width), float64(s.Height)
	scale := min(w/(w*cos+h*sin), h/(w*sin+h*cos))
	return Size{max(int(w*scale), 1), max(int(h*scale), 1)}
}

// straightenedPoint returns the position of a point after a picture of size s is straightened.
func (s Size) straightenedPoint(degrees, x, y float64) (float64, float64) {
	if degrees == 0 {
		return x, y
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	keep := s.straightened(degrees)
	x, y = x-float64(s.Width)/2, y-float64(s.Height)/2
	return x*cos + y*sin + float64(keep.Width)/2, y*cos - x*sin + float64(keep.Height)/2
}
