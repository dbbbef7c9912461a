package vips

// #cgo pkg-config: libwebp
// #include "library.h"
// #include "load_pixels.h"
// #include "load_webp.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// loadWebP decodes a WebP still that is in memory without libvips' loader. It returns nil for one that libwebp does not
// decode: libvips' loader then gives the error.
func (j *job) loadWebP(l imaging.Load) *image {
	in := j.input
	width, height := l.Width, l.Height
	if l.Box > 1 { // Width and Height are those after the box
		width, height = in.header.Width, in.header.Height
	}
	data, header := in.source.data, in.spare
	in.spare = nil
	var out *C.VipsImage
	if C.sl_load_webp(
		header.v, unsafe.Pointer(&data[0]), C.size_t(len(data)), C.int(width), C.int(height), j.stop, &out,
	) != 0 {
		C.sl_clear_error()
		return nil
	}
	return own(out)
}

// loadScaledWebP decodes a lossy WebP still right at the size that it is scaled to. It returns nil for a lossless one.
func (j *job) loadScaledWebP() *image {
	in, h, to := j.input, j.input.header, j.plan.Scaled
	if err := in.keepHeader(); err != nil {
		return nil
	}
	return j.ofSpare(to, func(rgb []byte) bool {
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
	in.spare, in.options = header, headerOnly
	return nil
}
