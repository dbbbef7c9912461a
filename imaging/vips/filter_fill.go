package vips

// #include "place.h"
import "C"

import "github.com/safelight/safelight/imaging"

// filterFill paints the area that the box has and the picture does not, the padding around it,
// and what is transparent.
func filterFill(j *job, s imaging.Step) error {
	if s.Call.Arg("colour").Colour.Word == "blur" {
		return j.perFrame(func(i *image) (*image, error) {
			return i.overBlurred(s.Rect.Left, s.Rect.Top, s.After.Width, s.After.Height, j.stop)
		})
	}
	return filterPadding(j, s)
}

// overBlurred returns the image on a canvas that shows itself, stretched and blurred.
func (i *image) overBlurred(left, top, width, height int, stop *C.int) (*image, error) {
	memory, err := i.copyMemory() // it is read twice
	if err != nil {
		return nil, err
	}
	defer memory.close()
	// A blur of this width looks the same when it is made at an eighth of the size.
	small, err := memory.resize(max(width/8, 1), max(height/8, 1))
	if err != nil {
		return nil, err
	}
	defer small.close()
	soft, err := small.blur(50.0 / 8)
	if err != nil {
		return nil, err
	}
	defer soft.close()
	base, err := soft.stretched(width, height, false, stop)
	if err != nil {
		return nil, err
	}
	defer base.close()
	flat, err := base.flatten(white)
	if err != nil {
		return nil, err
	}
	defer flat.close()
	if !memory.hasAlpha() {
		return memory.inserted(flat, left, top)
	}
	return memory.over(flat, left, top)
}

// blur returns the image under a Gaussian of that sigma, in pixels.
func (i *image) blur(sigma float64) (*image, error) {
	var out *C.VipsImage
	code := C.sl_blur(i.v, &out, C.double(sigma))
	return made(out, code)
}

// inserted returns base with the image, which has as many bands, at left, top.
func (i *image) inserted(base *image, left, top int) (*image, error) {
	var out *C.VipsImage
	code := C.sl_insert(base.v, i.v, &out, C.int(left), C.int(top))
	return made(out, code)
}
