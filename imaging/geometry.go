package imaging

import "math"

// maxCoordinate is the longest side that the engine computes, whatever the limits say.
const maxCoordinate = 10_000_000

// Size is the size of a picture in pixels. The zero Size is not known.
type Size struct{ Width, Height int }

// Known reports whether both sides are known.
func (s Size) Known() bool { return s.Width > 0 && s.Height > 0 }

// turned returns the size after a rotation by those degrees.
func (s Size) turned(degrees int) Size {
	if degrees%180 != 0 {
		return Size{s.Height, s.Width}
	}
	return s
}

// Rect is an area of a picture in whole pixels.
type Rect struct{ Left, Top, Width, Height int }

// Empty reports whether the rectangle has no area.
func (r Rect) Empty() bool { return r.Width < 1 || r.Height < 1 }

// Size returns width and height.
func (r Rect) Size() Size { return Size{r.Width, r.Height} }

// Union returns the smallest rectangle that holds both; an empty one adds nothing.
func (r Rect) Union(o Rect) Rect {
	switch {
	case r.Empty():
		return o
	case o.Empty():
		return r
	}
	left, top := min(r.Left, o.Left), min(r.Top, o.Top)
	right, bottom := max(r.Left+r.Width, o.Left+o.Width), max(r.Top+r.Height, o.Top+o.Height)
	return Rect{left, top, right - left, bottom - top}
}

// Part is an area of a picture in pixels, which may begin and end between them. What a decoder that shrinks rounds away
// lies up to a pixel beyond the picture.
type Part struct{ Left, Top, Width, Height float64 }

// within returns the whole pixels of a picture of that size in which the part lies, at least one, and where it lies in
// these.
func (p Part) within(s Size) (Rect, Part) {
	span := func(start, length float64, side int) (first, n int) {
		first = min(max(int(math.Floor(start)), 0), side-1)
		end := min(max(int(math.Ceil(snapped(start+length))), first+1), side)
		return first, end - first
	}
	r := Rect{}
	r.Left, r.Width = span(p.Left, p.Width, s.Width)
	r.Top, r.Height = span(p.Top, p.Height, s.Height)
	return r, Part{p.Left - float64(r.Left), p.Top - float64(r.Top), p.Width, p.Height}
}

// rectBetween rounds edges to whole pixels inside a picture of that size.
func rectBetween(left, top, right, bottom float64, s Size) Rect {
	clamp := func(v float64, side int) int { return int(math.Round(min(max(v, 0), float64(side)))) }
	l, t := clamp(left, s.Width), clamp(top, s.Height)
	return Rect{l, t, clamp(right, s.Width) - l, clamp(bottom, s.Height) - t}
}

// rounded returns the whole pixels of a picture of that size that are nearest to the part, at least one.
func (p Part) rounded(s Size) Rect {
	r := rectBetween(p.Left, p.Top, p.Left+p.Width, p.Top+p.Height, s)
	r.Left, r.Top = min(r.Left, s.Width-1), min(r.Top, s.Height-1)
	r.Width, r.Height = max(r.Width, 1), max(r.Height, 1)
	return r
}

// EnlargedTo reports whether scaling the part to that size makes a side longer.
func (p Part) EnlargedTo(s Size) bool {
	return float64(s.Width) > p.Width || float64(s.Height) > p.Height
}

// Whole returns all of a picture of that size.
func (s Size) Whole() Part { return Part{Width: float64(s.Width), Height: float64(s.Height)} }

// scaled returns a side times scale, at least 1. What no int holds becomes a side that every limit refuses.
func scaled(side int, scale float64) int {
	v := math.Round(float64(side) * scale)
	if !(v < 1<<53) {
		return 1 << 53
	}
	return max(1, int(v))
}

// Product multiplies sizes; what no int64 holds becomes the largest one.
func Product[T int | int64](factors ...T) int64 {
	p := int64(1)
	for _, f := range factors {
		if f > 0 && p > math.MaxInt64/int64(f) {
			return math.MaxInt64
		}
		p *= int64(f)
	}
	return p
}

// cropRegion returns the part of a picture of that size that the crop segment keeps. ok is false
// without a crop segment; the rectangle is empty when the segment names no area.
func (o Operations) cropRegion(s Size) (r Rect, ok bool) {
	if !o.hasCrop() {
		return Rect{}, false
	}
	left, top, right, bottom := o.CropLeft, o.CropTop, o.CropRight, o.CropBottom
	if left < 1 && top < 1 && right <= 1 && bottom <= 1 {
		left, right = left*float64(s.Width), right*float64(s.Width)
		top, bottom = top*float64(s.Height), bottom*float64(s.Height)
	}
	if right == 0 {
		right = float64(s.Width)
	}
	if bottom == 0 {
		bottom = float64(s.Height)
	}
	return rectBetween(left, top, right, bottom, s), true
}

// upscalePolicy says what upscale() and no_upscale() ask for.
type upscalePolicy int

const (
	upscaleDefault upscalePolicy = iota // fit-in does not enlarge, full-fit-in and the others do
	upscaleAlways
	upscaleNever
)

// upscaleOf returns what the last of upscale() and no_upscale() says.
func upscaleOf(calls []Call) upscalePolicy {
	p := upscaleDefault
	for _, c := range calls {
		switch c.Name {
		case "upscale":
			p = upscaleAlways
		case "no_upscale":
			p = upscaleNever
		}
	}
	return p
}

// layout is a picture's size after scaling, and that of the window which the box leaves of it.
type layout struct{ scaled, window Size }

// crops reports whether the window is smaller than the scaled picture.
func (l layout) crops() bool { return l.window != l.scaled }

// describedSide is the longest side of a copy that stands for a result over the limits, in pixels: far more than any
// hash or palette looks at.
const describedSide = 1024

// within returns the layout scaled down to describedSide and to the limits of results.
func (l layout) within(most Limits, frames int) layout {
	longest := max(l.window.Width, l.window.Height)
	scale := min(most.scale(l.window, frames), float64(describedSide)/float64(longest))
	return layout{l.scaled.down(scale), l.window.down(scale)}
}

// down returns the size scaled down, rounded down, with sides of at least 1.
func (s Size) down(scale float64) Size {
	return Size{max(1, int(float64(s.Width)*scale)), max(1, int(float64(s.Height)*scale))}
}

// scale returns the factor, at most 1, by which a picture of that size has to be scaled for a result within the limits.
func (l Limits) scale(s Size, frames int) float64 {
	scale := 1.0
	if l.MaxResultSide > 0 {
		scale = min(scale, float64(l.MaxResultSide)/float64(max(s.Width, s.Height, 1)))
	}
	if pixels := Product(s.Width, s.Height, frames); l.MaxResultPixels > 0 && pixels > 0 {
		scale = min(scale, math.Sqrt(float64(l.MaxResultPixels)/float64(pixels)))
	}
	return scale
}

// Largest returns the largest size of a result of the whole picture that the limits allow, with its aspect ratio: s
// itself if it is within them.
func (l Limits) Largest(s Size, frames int) Size {
	if scale := l.scale(s, frames); scale < 1 {
		return s.down(scale)
	}
	return s
}

// layoutOf returns the layout of a picture of that size, after trim and crop.
func (o Operations) layoutOf(s Size, upscale upscalePolicy) layout {
	box := o.boxOf(s)
	x, y := float64(box.Width)/float64(s.Width), float64(box.Height)/float64(s.Height)
	switch {
	case box.Width == 0 && box.Height == 0:
		return layout{s, s}
	case box.Width == 0:
		x = y
	case box.Height == 0:
		y = x
	}
	if o.Stretch && !o.Fit.In {
		if upscale == upscaleNever {
			x, y = min(x, 1), min(y, 1)
		}
		stretched := Size{scaled(s.Width, x), scaled(s.Height, y)}
		return layout{stretched, stretched}
	}
	scale := max(x, y)
	if o.Fit.In && !o.Fit.Full {
		scale = min(x, y)
	}
	if upscale == upscaleNever || upscale == upscaleDefault && o.Fit.In && !o.Fit.Full {
		scale = min(scale, 1)
	}
	l := layout{scaled: Size{scaled(s.Width, scale), scaled(s.Height, scale)}}
	l.window = l.scaled
	if !o.Fit.In && box.Known() {
		l.window = Size{min(l.scaled.Width, box.Width), min(l.scaled.Height, box.Height)}
	}
	return l
}

// boxOf returns the box for a picture of that size, 0 is from the ratio: adaptive fits turn it with the picture.
func (o Operations) boxOf(s Size) Size {
	box := Size{o.Width, o.Height}
	if o.WidthOriginal {
		box.Width = s.Width
	}
	if o.HeightOriginal {
		box.Height = s.Height
	}
	if o.Fit.In && o.Fit.Adaptive && (s.Width-s.Height)*(box.Width-box.Height) < 0 {
		return Size{box.Height, box.Width}
	}
	return box
}

// Align returns left and top of a window that leaves that much space on each axis, in pixels.
func Align(h HAlign, v VAlign, spaceX, spaceY int) (left, top int) {
	left, top = spaceX/2, spaceY/2
	switch h {
	case HAlignLeft:
		left = 0
	case HAlignRight:
		left = spaceX
	}
	switch v {
	case VAlignTop:
		top = 0
	case VAlignBottom:
		top = spaceY
	}
	return left, top
}

// around returns where a window of that width has the point in its middle, inside side. Of two places that are as near
// it is the first, as of Align: a window around the middle is the one of a crop to the middle.
func around(point float64, width, side int) int {
	const rounding = 1e-6 // of points
	return min(max(int(math.Ceil(point-float64(width)/2-0.5-rounding)), 0), side-width)
}

// origin maps points of the upright source to the picture as it stands: scaled first, then moved.
type origin struct {
	scaleX, scaleY float64 // pixels per pixel of the source
	// pixels cut off at the left and at the top; less than 0 where some are there that the source has not
	offsetX, offsetY float64
}

// cut notes that the picture lost what is left of and above that corner.
func (o *origin) cut(left, top int) {
	o.offsetX, o.offsetY = o.offsetX+float64(left), o.offsetY+float64(top)
}

// rescale notes that a part of the picture was scaled to that size.
func (o *origin) rescale(from Part, to Size) {
	x, y := float64(to.Width)/from.Width, float64(to.Height)/from.Height
	o.scaleX, o.offsetX = o.scaleX*x, (o.offsetX+from.Left)*x
	o.scaleY, o.offsetY = o.scaleY*y, (o.offsetY+from.Top)*y
}

// partOf returns where a rectangle of the source lies in the picture as it stands.
func (o origin) partOf(r Rect) Part {
	return Part{
		snapped(float64(r.Left)*o.scaleX - o.offsetX), snapped(float64(r.Top)*o.scaleY - o.offsetY),
		snapped(float64(r.Width) * o.scaleX), snapped(float64(r.Height) * o.scaleY),
	}
}

// snapped returns a whole number that v differs from by no more than computing it does, or v.
func snapped(v float64) float64 {
	if n := math.Round(v); math.Abs(v-n) < 1e-6 {
		return n
	}
	return v
}
