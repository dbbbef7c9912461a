package template

import (
	"math"
	"strconv"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// scaled returns the transformations for the same picture at the given scale, without its layers; known are its sizes
// at scale 1. ok is false if that requires an unknown size.
func (t Transformations) scaled(scale float64, known sizes, parent imaging.Size) (_ Transformations, ok bool) {
	if scale == 1 {
		return t, true
	}
	box := t.box(parent)
	inner := known.inner
	boxed := t.Width > 0 || t.Height > 0 || t.WidthSide.Follows() || t.HeightSide.Follows()
	switch {
	case t.FitIn && boxed && inner.Known() && (t.Fill == "" || inner == known.source):
		// A fit does not enlarge, so the size of a picture that is smaller than its box must be known.
		t.letterbox(inner, box)
		t.setSize(inner, scale)
	case boxed:
		t.WidthSide.Less, t.HeightSide.Less = signed(t.WidthSide.Less, scale), signed(t.HeightSide.Less, scale)
		t.setSize(imaging.Size{Width: t.Width, Height: t.Height}, scale)
	case inner.Known():
		t.setSize(inner, scale)
	default:
		return t, false
	}
	t.PaddingLeft, t.PaddingTop = signed(t.PaddingLeft, scale), signed(t.PaddingTop, scale)
	t.PaddingRight, t.PaddingBottom = signed(t.PaddingRight, scale), signed(t.PaddingBottom, scale)
	t.Blur, t.Sharpen, t.CornerRadius = cents(t.Blur*scale), cents(t.Sharpen*scale), cents(t.CornerRadius*scale)
	return t, true
}

// setSize gives the picture the size s times scale; a side of 0 stays 0.
func (t *Transformations) setSize(s imaging.Size, scale float64) {
	t.Width, t.Height = 0, 0
	if s.Width > 0 {
		t.Width = scaled(s.Width, scale)
	}
	if s.Height > 0 {
		t.Height = scaled(s.Height, scale)
	}
}

// letterbox fills the part of the box that the picture does not cover with padding.
func (t *Transformations) letterbox(inner, box imaging.Size) {
	t.WidthSide, t.HeightSide = imaging.Side{}, imaging.Side{}
	if t.Fill == "" {
		return
	}
	across, down := max(box.Width-inner.Width, 0), max(box.Height-inner.Height, 0)
	left, top := imaging.Align(t.HAlign, t.VAlign, across, down)
	t.PaddingLeft, t.PaddingRight = t.PaddingLeft+left, t.PaddingRight+across-left
	t.PaddingTop, t.PaddingBottom = t.PaddingTop+top, t.PaddingBottom+down-top
}

// scaled returns a side times scale, at least 1.
func scaled(side int, scale float64) int { return max(signed(side, scale), 1) }

func signed(n int, scale float64) int { return int(math.Round(float64(n) * scale)) }

// cents rounds to two decimals.
func cents(v float64) float64 { return math.Round(v*100) / 100 }

// layerPlace is the position of a layer along an axis: pixels, or word, whose parsed form is at.
type layerPlace struct {
	vertical bool
	pixels   float64
	word     string
	at       imaging.Position
}

// text returns the position at the given scale, in the syntax of the image filter.
func (p layerPlace) text(scale float64) string {
	if p.word == "" {
		n := int(math.Round(p.pixels * scale))
		switch {
		case n != 0 || p.pixels >= 0:
			return strconv.Itoa(n)
		case p.vertical: // a negative position counts from the far edge, even a small one
			return string(imaging.VAlignBottom)
		}
		return string(imaging.HAlignRight)
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
