package migrate

import (
	"fmt"
	"math"

	"github.com/safelight/safelight/imaging"
)

// geometry sets the segments: trim, crop, size, flip and alignment.
func (p *imgproxy) geometry() {
	o := &p.request.Operations
	if turn := ((360-p.rotate)%360 + 360) % 360; turn != 0 {
		p.add("orient", turn)
	}
	if p.trim.args != nil {
		o.Trim, o.TrimTolerance = true, math.Round(p.trim.number(0))
		if o.TrimTolerance > 0 {
			p.differs("trim", "the tolerance is the distance of two colors here, and that of single channels there")
		}
		if p.trim.arg(1) != "" {
			p.differs("trim", "the color of the corner is trimmed, not %s", p.trim.arg(1))
		}
		if isTrue(p.trim.arg(2)) || isTrue(p.trim.arg(3)) {
			p.differs("trim", "opposite sides are trimmed independently")
		}
	}
	if p.crop.args != nil {
		p.cropRegion()
	}
	o.HFlip, o.VFlip = p.flipX, p.flipY
	p.size()
}

// size sets the box. imgproxy does not enlarge unless the option enlarge is set.
func (p *imgproxy) size() {
	o := &p.request.Operations
	x, y := p.zoomX*p.dpr, p.zoomY*p.dpr
	o.Width, o.Height = whole(p.width*x), whole(p.height*y)
	if o.Width == 0 && o.Height == 0 {
		p.scale(x, y)
		return
	}
	both := o.Width > 0 && o.Height > 0
	switch p.kind {
	case "fit":
		p.fitIn(p.enlarge)
	case "fill", "fill-down":
		if !both {
			p.fitIn(p.enlarge)
			break
		}
		p.fills(p.enlarge)
		p.align()
		if p.dpr > 1 && !p.enlarge {
			p.differs("dpr", "a picture that is too small for the density is cropped to another ratio")
		}
		if p.extend {
			p.differs("extend", "a picture that is smaller than the box keeps its size")
		}
		if p.kind == "fill-down" {
			p.differs("resizing_type", "a picture that is smaller than the box is not cropped to its ratio")
		}
	case "force":
		o.Stretch = true
		o.WidthOriginal, o.HeightOriginal = o.Width == 0, o.Height == 0
		p.fills(p.enlarge)
		if !p.enlarge {
			p.differs("resizing_type", "a picture that is smaller than the box in one direction only gets another size")
		}
	default:
		p.refused = fmt.Sprintf("resizing type %s decides by the picture whether it crops, which no URL here does: "+
			"choose fit or fill", p.kind)
	}
}

// scale translates a zoom without a size.
func (p *imgproxy) scale(x, y float64) {
	switch {
	case x == 1 && y == 1, x >= 1 && y >= 1 && !p.enlarge:
	case x == y && x < 1 && x > 0:
		p.add("proportion", decimal(x*100))
	default:
		p.differs("zoom", "without a size, a picture can only be made smaller, and both sides alike")
	}
}

// align sets which part is kept by a crop to the box.
func (p *imgproxy) align() {
	o := &p.request.Operations
	switch kind := p.gravity.arg(0); kind {
	case "sm":
		o.Smart = true
	case "fp":
		p.add("focal", p.gravity.arg(1), p.gravity.arg(2))
	default:
		a, known := aligns[kind]
		if !known {
			p.differs("gravity", "gravity %s is not supported, the center is kept", kind)
		}
		o.HAlign, o.VAlign = a.h, a.v
		if p.gravity.number(1) != 0 || p.gravity.number(2) != 0 {
			p.differs("gravity", "the offsets are ignored")
		}
	}
}

// cropRegion sets the region that is cropped before resizing. It can translate fractions, and pixels from the top left
// corner. The position of any other region depends on the size of the image.
func (p *imgproxy) cropRegion() {
	gravity := p.cropGravity
	if gravity.args == nil {
		gravity = p.gravity
	}
	width, height := p.crop.number(0), p.crop.number(1)
	kind, x, y := gravity.arg(0), gravity.number(1), gravity.number(2)
	o := &p.request.Operations
	switch {
	case width == 0 && height == 0:
	case kind == "nowe" && width >= 1 && height >= 1 && (x == 0 || x >= 1) && (y == 0 || y >= 1):
		o.CropLeft, o.CropTop, o.CropRight, o.CropBottom = x, y, x+width, y+height
	case width < 1 && height < 1 && (kind == "fp" || x == 0 && y == 0) && isPlace(kind):
		width, height = fullIfZero(width), fullIfZero(height)
		isPoint, edge := kind == "fp", aligns[kind]
		x = place(isPoint, x, edge.h, imaging.HAlignLeft, imaging.HAlignRight)
		y = place(isPoint, y, edge.v, imaging.VAlignTop, imaging.VAlignBottom)
		o.CropLeft, o.CropRight = span(width, x)
		o.CropTop, o.CropBottom = span(height, y)
	default:
		p.refused = "where the crop is depends on the size of the image: write the region as fractions, or in pixels " +
			"from the top left corner"
	}
}

// isPlace reports whether a gravity is an edge, a corner or a point.
func isPlace(kind string) bool {
	_, known := aligns[kind]
	return known || kind == "fp"
}

func fullIfZero(f float64) float64 {
	if f == 0 {
		return 1
	}
	return f
}

// place returns the center of a region on one axis, from 0 to 1.
func place[A comparable](isPoint bool, point float64, align, low, high A) float64 {
	switch {
	case isPoint:
		return point
	case align == low:
		return 0
	case align == high:
		return 1
	}
	return 0.5
}

// span returns the edges of a region with the given length and center, clamped to 0..1 and rounded to six digits.
func span(length, middle float64) (from, to float64) {
	round := func(f float64) float64 { return math.Round(f*1e6) / 1e6 }
	from = min(max(middle-length/2, 0), 1-length)
	return round(from), round(from + length)
}

// leastSharpen is the smallest argument of sharpen() that imgproxy's options are translated to. Its radius is close to
// 1; sharpen(0) would change nothing.
const leastSharpen = 0.01

// pixels adds the filters that change pixels, in imgproxy's order.
func (p *imgproxy) pixels() {
	border := p.background
	if border == "" {
		border = "none"
	}
	extends := p.extend && p.request.Operations.Fit.In && p.width > 0 && p.height > 0
	for n, v := range p.tones {
		if v != 0 {
			p.add(toneNames[n], decimal(v))
			p.differs(toneNames[n], "close, not equal: the scale is translated, the color space may be another")
		}
	}
	if p.blur > 0 {
		p.add("blur", decimal(p.blur), decimal(p.blur))
	}
	if p.sharpen > 0 {
		p.add("sharpen", decimal(max(leastSharpen, (p.sharpen-1)/2)))
		p.differs("sharpen", "close, not equal: the same radius where sigma is over 1, edges of another strength")
	}
	if p.pixelate > 0 {
		p.add("pixelate", whole(p.pixelate))
	}
	switch {
	case extends:
		p.add("fill", border)
	case p.background != "":
		p.add("background_color", p.background)
	}
	if p.padding.args != nil {
		p.pad(border)
	}
	if (extends || p.padding.args != nil) && p.background == "" {
		p.differs("background", "what is added is transparent; in a JPEG, which has no transparency, the colors differ")
	}
	if p.page > 0 {
		p.add("page", decimal(p.page))
	}
	if p.dpi > 0 {
		p.add("dpi", decimal(p.dpi))
	}
	if p.firstFrame {
		p.add("max_frames", 1)
	}
}

// pad adds padding. As in CSS, a missing side equals the opposite one, and all sides equal the top if only that is
// given.
func (p *imgproxy) pad(colour string) {
	side := func(n int, or float64) float64 {
		if p.padding.arg(n) == "" {
			return or
		}
		return p.padding.number(n)
	}
	top := side(0, 0)
	right := side(1, top)
	bottom, left := side(2, top), side(3, right)
	if p.dpr > 1 && !p.enlarge {
		p.differs("dpr", "the padding of a picture that is too small for the density is not reduced")
	}
	p.add("padding", colour, whole(left*p.dpr), whole(top*p.dpr), whole(right*p.dpr), whole(bottom*p.dpr))
}
