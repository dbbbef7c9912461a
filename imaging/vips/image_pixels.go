package vips

// #include "sl_image.h"
// #include "sl_library.h"
// #include "sl_decode_pixels.h"
import "C"

import (
	"errors"
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// picture returns the pixels of a still in memory with 8 bits per sample. They are valid as long as the image; ok is
// false for any other image.
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

// cutOut copies a region of a still whose pixels are in memory. It returns nil for any other image, for a large
// region, and if there is not enough memory.
func (i *image) cutOut(r imaging.Rect) *image {
	p, ok := i.picture()
	if !ok || int64(r.Width)*int64(r.Height)*int64(p.Bands) > imaging.MostResult || r.Left < 0 || r.Top < 0 ||
		r.Left+r.Width > p.Width ||
		r.Top+r.Height > p.Height {
		return nil
	}
	out, _ := i.remade(r.Width, r.Height, func(out []byte) error {
		row := r.Width * p.Bands
		for y := range r.Height {
			from := ((r.Top+y)*p.Width + r.Left) * p.Bands
			copy(out[y*row:], p.Pixels[from:from+row])
		}
		return nil
	})
	return out
}

// remade returns an image of the given size whose pixels are written by fill, with the header and the bands of this
// image. The error comes from fill, or is pixels.ErrMemory.
func (i *image) remade(width, height int, fill func(out []byte) error) (*image, error) {
	size := C.size_t(width) * C.size_t(height) * C.size_t(i.bands())
	buffer := C.sl_pixels_new(size)
	if buffer == nil {
		C.sl_clear_error()
		return nil, pixels.ErrMemory
	}
	if err := fill(unsafe.Slice((*byte)(buffer), int(size))); err != nil {
		C.sl_pixels_free(buffer)
		return nil, err
	}
	var out *C.VipsImage
	if C.sl_load_pixels(C.sl_ref(i.v), buffer, C.int(width), C.int(height), &out) != 0 {
		return nil, vipsError()
	}
	return own(out), nil
}

// elseLibvips returns nil if libvips may succeed where imaging/pixels failed: it decodes other kinds of files, shows
// parts of damaged ones or reports what is wrong, and computes strips if there is not enough memory for all pixels.
func elseLibvips(err error) error {
	for _, left := range []error{pixels.ErrUnsupported, pixels.ErrDamaged, pixels.ErrMemory} {
		if errors.Is(err, left) {
			return nil
		}
	}
	return err
}
