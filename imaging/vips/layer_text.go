package vips

// #include "sl_layer.h"
// #include "sl_library.h"
import "C"

import (
	"strconv"
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// libvips' numbers for how lines are aligned and wrapped.
var (
	textAligns = map[string]C.int{"low": 0, "centre": 1, "high": 2}
	textWraps  = map[string]C.int{"word": 0, "char": 1, "wordchar": 2, "none": 3}
)

// filterText draws the text of text() or label() over the job's picture.
func filterText(j *job, s imaging.Step) error {
	t := *s.Layer.Text
	colour, err := j.paint(t.Colour)
	if err != nil {
		return err
	}
	t.Font = imaging.WithFamily(t.Font, j.engine.families)
	mask, err := drawText(t)
	if err != nil { // for example, the font has no glyph to draw
		j.warn(s.Call.Name, "text", "filter "+s.Call.Name+": the text cannot be drawn")
		return nil
	}
	defer mask.close()
	if t.Around != (imaging.Around{}) {
		picture, err := j.drawAroundText(mask, t.Around, colour)
		if err != nil {
			return err
		}
		defer picture.close()
		return j.lay(picture, *s.Layer)
	}
	picture, err := mask.through([]func(*image) (*image, error){
		func(i *image) (*image, error) { return i.tinted(colour) }, (*image).copyMemory,
	})
	if err != nil {
		return j.failed(err)
	}
	defer picture.close()
	return j.lay(picture, *s.Layer)
}

// drawText returns the text as a mask.
func drawText(t imaging.TextSpec) (*image, error) {
	if t.Ink > 0 {
		return drawLabel(t)
	}
	return drawTextAt(t, t.Size*float64(t.DPI)/72)
}

// The font sizes of labels, as sixths of a pixel.
const (
	leastLabel = 2
	firstLabel = 72
	mostLabel  = 18432
)

// drawLabel draws one line as large as its ink fits into imaging.MaxLabelWidth x t.Ink pixels. The ink grows nearly in
// proportion to the size, so a few attempts find the largest size that fits.
func drawLabel(t imaging.TextSpec) (*image, error) {
	fits, exceeds, size := leastLabel-1, mostLabel+1, firstLabel
	var best *image
	for attempt := 0; exceeds-fits > 1; attempt++ {
		mask, err := drawTextAt(t, float64(size)/6)
		if err != nil {
			if best != nil {
				best.close()
			}
			return nil, err
		}
		share := min(float64(imaging.MaxLabelWidth+1)/float64(mask.width()), float64(t.Ink+1)/float64(mask.height()))
		small := share > 1
		if small {
			fits = size
		} else {
			exceeds = size
		}
		if small || size == leastLabel {
			if best != nil {
				best.close()
			}
			best = mask
		} else {
			mask.close()
		}

		if size = int(float64(size) * share); attempt > 8 { // the ink of that font does not grow in proportion
			size = (fits + exceeds) / 2
		}
		size = min(max(size, fits+1), exceeds-1)
	}
	return best, nil
}

// drawTextAt draws a text in a font whose size is that many pixels.
func drawTextAt(t imaging.TextSpec, size float64) (*image, error) {
	text := C.CString(t.Text)
	defer C.free(unsafe.Pointer(text))
	font := C.CString(t.Font + " " + strconv.FormatFloat(size, 'f', 3, 64))
	defer C.free(unsafe.Pointer(font))
	justify := C.int(0)
	if t.Justify {
		justify = 1
	}
	var out *C.VipsImage
	return made(&out, C.sl_text(
		&out, text, font, C.int(t.Width), textAligns[t.Align], justify, textWraps[t.Wrap], C.int(t.Spacing),
	))
}

// tinted returns the mask as the alpha of that colour.
func (i *image) tinted(c imaging.Colour) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_tint(i.v, &out, C.double(c.R), C.double(c.G), C.double(c.B), C.double(float64(c.A)/255)))
}
