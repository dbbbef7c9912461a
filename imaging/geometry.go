package imaging

import "math"

// maxCoordinate is the longest side that the engine computes, regardless of the limits.
const maxCoordinate = 10_000_000

// Size is the size of a picture in pixels. The zero Size means unknown.
type Size struct{ Width, Height int }

// Known reports whether both sides are known.
func (s Size) Known() bool { return s.Width > 0 && s.Height > 0 }

// turned returns the size after a rotation by the given degrees.
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

// Union returns the smallest rectangle that contains both; an empty rectangle adds nothing.
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

// Part is an area of a picture in pixels, whose edges may lie between pixels. Because a decoder that shrinks rounds
// sizes down, a Part may extend up to a pixel beyond the picture.
type Part struct{ Left, Top, Width, Height float64 }

// within returns the whole pixels, at least one, of a picture of size s that contain the part, and the position of the
// part relative to these.
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

// rectBetween rounds edges to whole pixels inside a picture of size s.
func rectBetween(left, top, right, bottom float64, s Size) Rect {
	clamp := func(v float64, side int) int { return int(math.Round(min(max(v, 0), float64(side)))) }
	l, t := clamp(left, s.Width), clamp(top, s.Height)
	return Rect{l, t, clamp(right, s.Width) - l, clamp(bottom, s.Height) - t}
}

// rounded returns the whole pixels, at least one, of a picture of size s that are nearest to the part.
func (p Part) rounded(s Size) Rect {
	r := rectBetween(p.Left, p.Top, p.Left+p.Width, p.Top+p.Height, s)
	r.Left, r.Top = min(r.Left, s.Width-1), min(r.Top, s.Height-1)
	r.Width, r.Height = max(r.Width, 1), max(r.Height, 1)
	return r
}

// EnlargedTo reports whether scaling the part to size s makes a side longer.
func (p Part) EnlargedTo(s Size) bool {
	return float64(s.Width) > p.Width || float64(s.Height) > p.Height
}

// Whole returns the whole area of a picture of size s.
func (s Size) Whole() Part { return Part{Width: float64(s.Width), Height: float64(s.Height)} }

// scaled returns a side times scale, at least 1. A side that is too large for a float64 becomes one that exceeds every
// limit.
func scaled(side int, scale float64) int {
	v := math.Round(float64(side) * scale)
	if !(v < 1<<53) {
		return 1 << 53
	}
	return max(1, int(v))
}

// Product multiplies sizes. An overflow results in the largest int64.
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

// cropRegion returns the part of a picture of size s that the crop segment keeps. ok is false without a crop segment;
// the rectangle is empty if the segment selects no area.
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

// upscalePolicy is the effect of upscale() and no_upscale().
type upscalePolicy int

const (
	upscaleDefault upscalePolicy = iota // fit-in does not enlarge; full-fit-in and the other modes do
	upscaleAlways
	upscaleNever
)

// upscaleOf returns the policy of the last upscale() or no_upscale().
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

// layout is a picture's size after scaling, and the size of the window that remains after cropping to the box.
type layout struct{ scaled, window Size }

// crops reports whether the window is smaller than the scaled picture.
func (l layout) crops() bool { return l.window != l.scaled }

// describedSide is the longest side in pixels, of a copy that represents a result over the limits. Hashes and palettes
// need far fewer pixels.
const describedSide = 1024

// within returns the layout scaled down to describedSide and to the limits for results.
func (l layout) within(most Limits, frames int) layout {
	longest := max(l.window.Width, l.window.Height)
	scale := min(most.scale(l.window, frames), float64(describedSide)/float64(longest))
	return layout{l.scaled.down(scale), l.window.down(scale)}
}

// down returns the size scaled down, rounded down, with sides of at least 1.
func (s Size) down(scale float64) Size {
	return Size{max(1, int(float64(s.Width)*scale)), max(1, int(float64(s.Height)*scale))}
}

// scale returns the factor, at most 1, by which a picture of size s must be scaled to be within the limits.
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

// Largest returns the largest size within the limits that has the aspect ratio of s. It is s itself if that is within
// them.
func (l Limits) Largest(s Size, frames int) Size {
	if scale := l.scale(s, frames); scale < 1 {
		return s.down(scale)
	}
	return s
}

// layoutOf returns the layout of a picture that has size s after trim and crop.
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

// boxOf returns the box for a picture of size s. A side of 0 follows from the aspect ratio. Adaptive fits turn the box
// with the picture.
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

// Align returns the left and top of a window, given the free space on each axis in pixels.
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

// around returns the start of a window of the given width that is centered on the point but stays inside side. If two
// positions are equally near, it returns the first, as Align does, so that a window around the middle is the same as a
// crop to the middle.
func around(point float64, width, side int) int {
	const rounding = 1e-6 // of points
	return min(max(int(math.Ceil(point-float64(width)/2-0.5-rounding)), 0), side-width)
}

// origin maps points of the upright source to the current picture: they are first scaled, then moved.
type origin struct {
	scaleX, scaleY float64 // pixels of the picture per pixel of the source
	// Pixels cut off on the left and at the top; negative if pixels were added there.
	offsetX, offsetY float64
}

// cut records that the picture was cropped to the right of and below the given corner.
func (o *origin) cut(left, top int) {
	o.offsetX, o.offsetY = o.offsetX+float64(left), o.offsetY+float64(top)
}

// rescale records that a part of the picture was scaled to the given size.
func (o *origin) rescale(from Part, to Size) {
	x, y := float64(to.Width)/from.Width, float64(to.Height)/from.Height
	o.scaleX, o.offsetX = o.scaleX*x, (o.offsetX+from.Left)*x
	o.scaleY, o.offsetY = o.scaleY*y, (o.offsetY+from.Top)*y
}

// partOf returns where a rectangle of the source lies in the current picture.
func (o origin) partOf(r Rect) Part {
	return Part{
		snapped(float64(r.Left)*o.scaleX - o.offsetX), snapped(float64(r.Top)*o.scaleY - o.offsetY),
		snapped(float64(r.Width) * o.scaleX), snapped(float64(r.Height) * o.scaleY),
	}
}

// snapped returns the nearest integer if v differs from it only by a rounding error, else v.
func snapped(v float64) float64 {
	if n := math.Round(v); math.Abs(v-n) < 1e-6 {
		return n
	}
	return v
}
