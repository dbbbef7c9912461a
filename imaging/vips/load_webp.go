package vips

// #include "load_pixels.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// loadWebP decodes a WebP still that is in memory without libvips' loader.
func (j *job) loadWebP(l imaging.Load) (*image, error) {
	in, h, to := j.input, j.input.header, l.Size()
	if l.Box > 1 { // Width and Height are those after the box
		to = imaging.Size{Width: h.Width, Height: h.Height}
	}
	if err := in.keepHeader(); err != nil {
		return nil, err
	}
	return j.ofSpare(to, func(out []byte) error {
		return pixels.DecodeWebP(
			in.source.data, h.Width, h.Height, h.Bands, to.Width, to.Height, out, (*int32)(unsafe.Pointer(j.stop)),
		)
	})
}

// loadScaledWebP decodes a lossy WebP still right at the size that it is scaled to. A lossless one is
// pixels.ErrUnsupported.
func (j *job) loadScaledWebP() (*image, error) {
	in, h, to := j.input, j.input.header, j.plan.Scaled
	if err := in.keepHeader(); err != nil {
		return nil, err
	}
	return j.ofSpare(to, func(rgb []byte) error {
		return pixels.ReduceWebP(
			in.source.data, h.Width, h.Height, to.Width, to.Height, rgb, (*int32)(unsafe.Pointer(j.stop)),
		)
	})
}

// keepHeader leaves nothing but the header of the image that gave it: with that, libvips keeps a canvas of the file's
// size, which would be in memory beside the pixels.
func (in *input) keepHeader() error {
	var out *C.VipsImage
	code := C.sl_header(in.spare.v, &out)
	header, err := made(out, code)
	if err != nil {
		return err
	}
	in.spare.close()
	in.spare, in.options = header, ""
	return nil
}
