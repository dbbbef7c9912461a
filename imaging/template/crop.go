package template

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// cropped returns t with its crop by ratio converted to pixels, so that it can be planned. If the size of the picture
// is unknown, the crop becomes a box with that ratio, which the picture fills around the focal point. ok is false if
// no box gives the same result.
func (t Transformations) cropped() (_ Transformations, ok bool) {
	ratio := t.CropRatio
	if ratio == 0 {
		return t, true
	}
	t.CropRatio = 0
	t.CropLeft, t.CropTop, t.CropWidth, t.CropHeight = 0, 0, 0, 0
	if !t.Original.Known() {
		return t, t.boxed(ratio)
	}
	upright := Transformations{Image: t.Image, Original: t.Original, Filters: t.Filters}
	size := upright.sizes(imaging.Size{}).inner
	if !size.Known() {
		return t, false
	}
	width, height := float64(size.Width), float64(size.Height)
	share := t.CropScale
	across, down := min(width, height*ratio)*share, min(height, width/ratio)*share
	t.CropWidth, t.CropHeight = max(math.Round(across), 1), max(math.Round(down), 1)
	t.CropLeft, t.CropTop = startAround(t.CropX, t.CropWidth, width), startAround(t.CropY, t.CropHeight, height)
	return t, true
}

// boxed gives a picture of unknown size a box with the given ratio, which it fills around the focal point. It returns
// false if the result would differ from the crop: a fit shows the whole picture and a stretch distorts it, a box of
// another ratio crops more than that, a smaller share of the picture depends on its size, and so does a side that
// follows the parent's.
func (t *Transformations) boxed(ratio float64) bool {
	canvas := imaging.IsCanvas(t.Image)
	follows := t.WidthSide.Follows() || t.HeightSide.Follows()
	switch {
	case canvas && follows: // a canvas has one colour and both sides; see canvasSides
		return true
	case follows, !canvas && (t.FitIn || t.Stretch || t.CropScale < 1):
		return false
	case t.Width > 0 && t.Height > 0:
		if !canvas && !hasRatio(t.Width, t.Height, ratio) {
			return false
		}
	case t.Width > 0:
		t.Height = max(int(math.Round(float64(t.Width)/ratio)), 1)
	case t.Height > 0:
		t.Width = max(int(math.Round(float64(t.Height)*ratio)), 1)
	default:
		return false
	}
	if canvas {
		return true
	}
	point := imaging.FormatDecimal(t.CropX) + "," + imaging.FormatDecimal(t.CropY)
	t.Filters = append(filterList{{Name: "focal", Args: point}}, t.Filters...)
	return true
}

// hasRatio reports whether one of the sides follows from the other by the given ratio, up to a pixel of rounding.
func hasRatio(width, height int, ratio float64) bool {
	w, h := float64(width), float64(height)
	return math.Abs(h*ratio-w) <= 1 || math.Abs(w/ratio-h) <= 1
}

// startAround returns where a crop of the given length starts on a side, so that its center is as close as possible to
// the point, which is a fraction of the side.
func startAround(point, length, side float64) float64 {
	return math.Round(min(max(point*side-length/2, 0), side-length))
}

// croppedLayers returns the layers with their crops by ratio converted to pixels of their pictures.
func croppedLayers(list []Layer) ([]Layer, error) {
	for i := range list {
		t := &list[i].Transforms
		made, ok := t.cropped()
		if !ok {
			return nil, sizeMissing(t.Image)
		}
		inner, err := croppedLayers(made.Layers)
		if err != nil {
			return nil, err
		}
		made.Layers = inner
		*t = made
	}
	return list, nil
}
