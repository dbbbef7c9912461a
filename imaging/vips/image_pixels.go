package vips

// #include "image.h"
// #include "library.h"
// #include "load_pixels.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// picture returns the pixels of a still in memory, of 8 bits a sample, which stay as long as the image; ok is false for
// any other image.
func (i *image) picture() (p pixels.Picture, ok bool) {
	at := C.sl_pixels(i.v)
	if at == nil || i.pages() != 1 {
		return p, false
	}
	p = pixels.Picture{Width: i.width(), Height: i.height(), Bands: i.bands()}
	p.Pixels = unsafe.Slice((*byte)(at), p.Width*p.Height*p.Bands)
	C.sl_resolution(i.v, (*C.uint)(&p.PerMeter[0]), (*C.uint)(&p.PerMeter[1]))
	return p, true
}

// cutOut returns that region of a still whose pixels are in memory, in memory; nil for another image, and for a large
// region.
func (i *image) cutOut(r imaging.Rect) *image {
	p, ok := i.picture()
	if !ok || int64(r.Width)*int64(r.Height)*int64(p.Bands) > imaging.MostResult || r.Left < 0 || r.Top < 0 ||
		r.Left+r.Width > p.Width ||
		r.Top+r.Height > p.Height {
		return nil
	}
	return i.remade(r.Width, r.Height, func(out []byte) bool {
		row := r.Width * p.Bands
		for y := range r.Height {
			from := ((r.Top+y)*p.Width + r.Left) * p.Bands
			copy(out[y*row:], p.Pixels[from:from+row])
		}
		return true
	})
}

// remade returns an image of that size whose pixels fill writes, with the header and the bands of this one; nil if fill
// returns false, or there is not enough memory.
func (i *image) remade(width, height int, fill func(out []byte) bool) *image {
	size := C.size_t(width) * C.size_t(height) * C.size_t(i.bands())
	buffer := C.sl_pixels_new(size)
	if buffer == nil {
		C.sl_clear_error()
		return nil
	}
	if !fill(unsafe.Slice((*byte)(buffer), int(size))) {
		C.sl_pixels_free(buffer)
		return nil
	}
	var out *C.VipsImage
	if C.sl_load_pixels(C.sl_ref(i.v), buffer, C.int(width), C.int(height), &out) != 0 {
		C.sl_clear_error()
		return nil
	}
	return own(out)
}
