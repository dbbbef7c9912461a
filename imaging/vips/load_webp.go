package vips

// #cgo pkg-config: libwebp
// #include "library.h"
// #include "load_webp.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// loadWebP decodes a WebP still that is in memory without libvips' loader. It returns nil for every other file, and for one that
// libwebp does not decode: libvips' loader then gives the error.
func (j *job) loadWebP(l imaging.Load) *image {
	in := j.input
	if in.header.Format != imaging.WebP || in.header.Pages != 1 || in.spare == nil || in.source.data == nil {
		return nil
	}
	width, height := l.Width, l.Height
	if l.Box > 1 { // Width and Height are those after the box
		width, height = in.header.Width, in.header.Height
	}
	data, header := in.source.data, in.spare
	in.spare = nil
	var out *C.VipsImage
	if C.sl_load_webp(header.v, unsafe.Pointer(&data[0]), C.size_t(len(data)), C.int(width), C.int(height), j.stop, &out) != 0 {
		C.sl_clear_error()
		return nil
	}
	return own(out)
}
