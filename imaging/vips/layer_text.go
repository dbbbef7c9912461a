package vips

// #cgo pkg-config: pangocairo
// #include "layer.h"
// #include "library.h"
import "C"

import (
	"slices"
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
	mask, err := drawText(t)
	if err != nil { // a font that has no glyph to draw, for instance
		j.warn(s.Call.Name, "text", "filter "+s.Call.Name+": the text cannot be drawn")
		return nil
	}
	defer mask.close()
	lazy, err := mask.tinted(colour)
	if err != nil {
		return j.failed(err)
	}
	defer lazy.close()
	picture, err := lazy.copyMemory()
	if err != nil {
		return j.failed(err)
	}
	defer picture.close()
	return j.lay(picture, *s.Layer)
}

// drawText returns the text as a mask.
func drawText(t imaging.TextSpec) (*image, error) {
	text := C.CString(t.Text)
	defer C.free(unsafe.Pointer(text))
	if t.Ink > 0 {
		font := C.CString(t.Font + " 12") // any size: it is scaled to fit
		defer C.free(unsafe.Pointer(font))
		var out *C.VipsImage
		code := C.sl_label(&out, text, font, C.int(imaging.MaxLabelWidth), C.int(t.Ink))
		return made(out, code)
	}
	font := C.CString(t.Font + " " + strconv.FormatFloat(t.Size, 'f', 2, 64))
	defer C.free(unsafe.Pointer(font))
	justify := C.int(0)
	if t.Justify {
		justify = 1
	}
	var out *C.VipsImage
	code := C.sl_text(
		&out, text, font, C.int(t.Width), textAligns[t.Align], justify, textWraps[t.Wrap], C.int(t.Spacing),
		C.int(t.DPI),
	)
	return made(out, code)
}

// Fonts returns the families of fonts that texts can be drawn in, sorted, each once.
func Fonts() []string {
	list := C.sl_font_families()
	defer C.sl_free_list(list)
	names := goStrings(list)
	slices.Sort(names)
	return slices.Compact(names)
}

// tinted returns the mask as the alpha of that colour.
func (i *image) tinted(c imaging.Colour) (*image, error) {
	var out *C.VipsImage
	code := C.sl_tint(i.v, &out, C.double(c.R), C.double(c.G), C.double(c.B), C.double(float64(c.A)/255))
	return made(out, code)
}
