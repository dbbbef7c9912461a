package imaging

import "math"

// sizes are a job's pictures in megapixels, of all frames together.
type sizes struct {
	frames  float64
	source  float64 // as stored
	decoded float64 // as the decoder gives it, which may shrink
	scaled  float64 // before the crop to the box
	result  float64

	width, height int // of the result
}

// unknownSide is taken for the sides of a source whose header says none, such as a vector without a size.
const unknownSide = 1000

// The head-rooms of imaging/vips/load.go.
const (
	roomJPEG = 1.49
	roomWebP = 2.0
)

// sizes follows the steps of the engine, roughly: rounding and what depends on pixels are left out.
func (w Work) sizes() sizes {
	width, height := float64(w.Source.Width), float64(w.Source.Height)
	if width == 0 || height == 0 {
		width, height = unknownSide, unknownSide
	}
	if w.Canvas {
		width, height = float64(max(w.Operations.Width, 1)), float64(max(w.Operations.Height, 1))
	}
	s := sizes{frames: w.frames()}
	s.source = width * height * s.frames / 1e6
	if w.Source.Turned() {
		width, height = height, width
	}
	if c, ok := w.last("orient"); ok && c.Int("degrees")%180 != 0 {
		width, height = height, width
	}
	whole := width * height
	width, height = w.cropped(width, height)
	scaleX, scaleY := w.scales(width, height)
	shrink := w.shrink(max(scaleX, scaleY))
	s.decoded = whole * shrink * shrink * s.frames / 1e6
	width, height = max(width*scaleX, 1), max(height*scaleY, 1)
	s.scaled = width * height * s.frames / 1e6
	width, height = w.finished(width, height)
	s.result = width * height * s.frames / 1e6
	s.width, s.height = int(width), int(height)
	return s
}

// frames returns how many frames go through the job.
func (w Work) frames() float64 {
	n := max(w.Source.Pages, 1)
	if f := w.Source.Format; f != GIF && f != WebP || w.has("page") || n == 1 {
		return 1
	}
	if c, ok := w.last("max_frames"); ok {
		n = min(n, c.Int("n"))
	}
	for _, target := range w.targets() {
		if target.CanAnimate() {
			return float64(max(n, 1))
		}
	}
	return 1
}

// cropped returns the size after the crop of the source.
func (w Work) cropped(width, height float64) (float64, float64) {
	o := w.Operations
	left, top, right, bottom := o.CropLeft, o.CropTop, o.CropRight, o.CropBottom
	if left == 0 && top == 0 && right == 0 && bottom == 0 {
		return width, height
	}
	if left < 1 && top < 1 && right <= 1 && bottom <= 1 {
		left, right, top, bottom = left*width, right*width, top*height, bottom*height
	}
	if right == 0 {
		right = width
	}
	if bottom == 0 {
		bottom = height
	}
	return max(min(right, width)-left, 1), max(min(bottom, height)-top, 1)
}

// scales returns the factors that the fit asks for.
func (w Work) scales(width, height float64) (x, y float64) {
	o := w.Operations
	boxWidth, boxHeight := float64(o.Width), float64(o.Height)
	if o.Fit.In && o.Fit.Adaptive && (width-height)*(boxWidth-boxHeight) < 0 {
		boxWidth, boxHeight = boxHeight, boxWidth
	}
	x, y = boxWidth/width, boxHeight/height
	switch {
	case boxWidth == 0 && boxHeight == 0:
		return 1, 1
	case boxWidth == 0:
		x = y
	case boxHeight == 0:
		y = x
	case o.Stretch || w.has("stretch"):
	case o.Fit.In && !o.Fit.Full:
		x = min(x, y)
		y = x
	default:
		x = max(x, y)
		y = x
	}
	if w.has("no_upscale") || o.Fit.In && !w.has("upscale") {
		x, y = min(x, 1), min(y, 1)
	}
	return x, y
}

// shrink returns the scale that the decoder works at.
func (w Work) shrink(factor float64) float64 {
	switch {
	case w.Operations.Trim:
		return 1
	case w.Source.Format == SVG || w.Source.Format == PDF:
		return factor
	case w.Source.Format == JPEG:
		for _, n := range []float64{8, 4, 2} {
			if factor*n*roomJPEG <= 1 {
				return 1 / n
			}
		}
	case w.Source.Format == WebP && w.Source.Pages <= 1 && factor*roomWebP <= 0.9:
		return factor * roomWebP
	}
	return 1
}

// finished returns the size after the crop to the box, paddings and the filters that change it.
func (w Work) finished(width, height float64) (float64, float64) {
	o := w.Operations
	if o.Width > 0 && o.Height > 0 {
		switch {
		case !o.Fit.In:
			width, height = min(width, float64(o.Width)), min(height, float64(o.Height))
		case w.has("fill"):
			width, height = max(width, float64(o.Width)), max(height, float64(o.Height))
		}
	}
	width += float64(o.PaddingLeft + o.PaddingRight)
	height += float64(o.PaddingTop + o.PaddingBottom)
	for _, c := range w.Calls {
		switch c.Name {
		case "padding":
			width += c.Float("left") + c.Float("right")
			height += c.Float("top") + c.Float("bottom")
		case "proportion":
			part := math.Max(c.Float("percent")/100, 0.001)
			width, height = width*part, height*part
		case "crop":
			width, height = math.Min(width, c.Float("width")), math.Min(height, c.Float("height"))
		case "rotate":
			if c.Int("degrees")%180 != 0 {
				width, height = height, width
			}
		}
	}
	return math.Max(width, 1), math.Max(height, 1)
}

// filterWeight returns the rate that a filter costs by; empty for one that costs nothing by itself.
func filterWeight(c Call) string {
	switch c.Name {
	case "brightness", "contrast", "rgb", "invert", "grayscale", "background_color", "padding", "crop", "fill", "trim":
		return "light"
	case "blur":
		return "blur"
	case "sharpen", "hue", "saturation", "modulate", "round_corner", "pixelate", "rotate", "proportion":
		return "heavy"
	case "to_colorspace", "strip_icc":
		return "colour"
	}
	return ""
}
