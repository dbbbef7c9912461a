package vips

// #include "save.h"
import "C"

// spreadColours carries the colors of the visible pixels outward, into those that are wholly transparent. A lossy
// encoder smears what is next to an edge over it: black, if nothing else is there.
func (j *job) spreadColours() error {
	if err := j.settlePixels(); err != nil {
		return err
	}
	return j.apply(func(i *image) (*image, error) {
		var out *C.VipsImage
		code := C.sl_spread(i.v, &out)
		return made(out, code)
	})
}

// oneBand returns an image without color as one band, and its alpha.
func (i *image) oneBand() (*image, error) {
	if i.bands() < 3 {
		return i.ref(), nil
	}
	var out *C.VipsImage
	code := C.sl_one_band(i.v, &out)
	return made(out, code)
}
