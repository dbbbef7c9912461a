package vips

// #include "save.h"
import "C"

import (
	"slices"

	"github.com/safelight/safelight/imaging"
)

// spreadColours carries the colors of the visible pixels outward, into those that are wholly transparent. A lossy encoder
// smears what is next to an edge over it: black, if nothing else is there.
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

// smallerPalette encodes a GIF with a palette of its own, which looks better. Where that file is larger than the source's, it
// tries the source's palette too, and returns the smaller file.
func (j *job) smallerPalette(e imaging.Encode) ([]byte, error) {
	e.SamePalette = false
	own, err := j.encode(e)
	if err != nil || int64(len(own)) <= j.plan.Request.Header.Bytes {
		return own, err
	}
	e.SamePalette = true
	same, err := j.encode(e)
	if err != nil || len(same) >= len(own) {
		return own, err
	}
	return same, nil
}

// has reports whether the header has a field of that name.
func (i *image) has(name string) bool { return slices.Contains(i.fields(), name) }
