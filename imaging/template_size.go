package imaging

import (
	"math"
	"strconv"
	"strings"
)

// source returns the size of what the crop leaves of the picture; the zero Size when it is not known.
func (t *Transformations) source() Size {
	if !t.crops() {
		return t.Original
	}
	span := func(from, length float64, whole int) int {
		to := from + length
		if length == 0 || whole > 0 && to > float64(whole) {
			to = float64(whole)
		}
		return max(int(math.Round(to)-math.Round(from)), 0)
	}
	return Size{span(t.CropLeft, t.CropWidth, t.Original.Width), span(t.CropTop, t.CropHeight, t.Original.Height)}
}

// box returns the size that is asked for inside a parent of that size; 0 is from the ratio, or not known.
func (t *Transformations) box(parent Size) Size {
	side := func(s Side, pixels, parent int) int {
		switch {
		case !s.Full:
			return pixels
		case parent == 0:
			return 0
		}
		return max(parent-s.Less, 1)
	}
	return Size{side(t.WidthSide, t.Width, parent.Width), side(t.HeightSide, t.Height, parent.Height)}
}

// inner returns the size of the picture itself, before padding; the zero Size when it is not known.
func (t *Transformations) inner(parent Size) Size {
	box, source := t.box(parent), t.source()
	if box.known() && (!t.FitIn || IsCanvas(t.Image)) {
		return box
	}
	if !source.known() {
		return Size{}
	}
	x, y := float64(box.Width)/float64(source.Width), float64(box.Height)/float64(source.Height)
	switch {
	case box.Width == 0 && box.Height == 0:
		return source
	case box.Width == 0:
		x = y
	case box.Height == 0:
		y = x
	}
	scale := min(x, y)
	if t.FitIn {
		scale = min(scale, 1)
	}
	return Size{times(source.Width, scale), times(source.Height, scale)}
}

// outer returns the size of the result, inside a parent of that size; the zero Size when it is not known.
func (t *Transformations) outer(parent Size) Size {
	s := t.inner(parent)
	if !s.known() {
		return Size{}
	}
	if t.Fill != "" {
		box := t.box(parent)
		s.Width = max(s.Width, box.Width) + t.PaddingLeft + t.PaddingRight
		s.Height = max(s.Height, box.Height) + t.PaddingTop + t.PaddingBottom
	}
	s = s.turned(t.Rotation)
	return Size{times(s.Width, t.share()), times(s.Height, t.share())}
}

// share is the proportion as a fraction.
func (t *Transformations) share() float64 {
	switch {
	case t.Proportion == 0:
		return 1
	case t.Proportion <= 1:
		return t.Proportion
	}
	return t.Proportion / 100
}

// scaled returns what gives the same picture at that scale, but for the layers. ok is false when that takes
// a size that is not known.
func (t Transformations) scaled(scale float64, parent Size) (_ Transformations, ok bool) {
	if scale == 1 {
		return t, true
	}
	inner, box := t.inner(parent), t.box(parent)
	boxed := t.Width > 0 || t.Height > 0 || t.WidthSide.Full || t.HeightSide.Full
	switch {
	case t.FitIn && boxed && inner.known() && (t.Fill == "" || inner == t.source()):
		// a fit does not enlarge, so that a picture smaller than its box must be told its size
		t.letterbox(inner, box)
		t.setSize(inner, scale)
	case boxed:
		t.WidthSide.Less, t.HeightSide.Less = signed(t.WidthSide.Less, scale), signed(t.HeightSide.Less, scale)
		t.setSize(Size{t.Width, t.Height}, scale)
	case inner.known():
		t.setSize(inner, scale)
	default:
		return t, false
	}
	t.PaddingLeft, t.PaddingTop = signed(t.PaddingLeft, scale), signed(t.PaddingTop, scale)
	t.PaddingRight, t.PaddingBottom = signed(t.PaddingRight, scale), signed(t.PaddingBottom, scale)
	t.Blur, t.Sharpen, t.CornerRadius = cents(t.Blur*scale), cents(t.Sharpen*scale), cents(t.CornerRadius*scale)
	return t, true
}

// setSize gives the picture that size times scale; a side of 0 stays.
func (t *Transformations) setSize(s Size, scale float64) {
	t.Width, t.Height = 0, 0
	if s.Width > 0 {
		t.Width = times(s.Width, scale)
	}
	if s.Height > 0 {
		t.Height = times(s.Height, scale)
	}
}

// letterbox turns the room that a picture of that size leaves in its box into padding.
func (t *Transformations) letterbox(inner, box Size) {
	t.WidthSide, t.HeightSide = Side{}, Side{}
	if t.Fill == "" {
		return
	}
	across, down := max(box.Width-inner.Width, 0), max(box.Height-inner.Height, 0)
	left, top := across/2, down/2
	switch t.HAlign {
	case HAlignLeft:
		left = 0
	case HAlignRight:
		left = across
	}
	switch t.VAlign {
	case VAlignTop:
		top = 0
	case VAlignBottom:
		top = down
	}
	t.PaddingLeft, t.PaddingRight = t.PaddingLeft+left, t.PaddingRight+across-left
	t.PaddingTop, t.PaddingBottom = t.PaddingTop+top, t.PaddingBottom+down-top
}

// times returns a side times scale, at least 1.
func times(side int, scale float64) int { return max(signed(side, scale), 1) }

func signed(n int, scale float64) int { return int(math.Round(float64(n) * scale)) }

// cents rounds to two decimals.
func cents(v float64) float64 { return math.Round(v*100) / 100 }

// layerPlace is where a layer lies along an axis: pixels, or word, which at says parsed.
type layerPlace struct {
	vertical bool
	pixels   float64
	word     string
	at       Position
}

// text returns the place at that scale, as the image filter takes it.
func (p layerPlace) text(scale float64) string {
	if p.word == "" {
		n := int(math.Round(p.pixels * scale))
		switch {
		case n != 0 || p.pixels >= 0:
			return strconv.Itoa(n)
		case p.vertical: // a negative place counts from the far edge, however small
			return string(VAlignBottom)
		}
		return string(HAlignRight)
	}
	n := signed(p.at.Offset, scale)
	if p.at.Offset == n {
		return p.word
	}
	edge := p.word[:strings.IndexAny(p.word, "+-")]
	switch {
	case n > 0:
		return edge + "-" + strconv.Itoa(n)
	case n < 0:
		return edge + "+" + strconv.Itoa(-n)
	}
	return edge
}

// formatNumber writes a number as a filter takes it.
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
