package vips

// #include "library.h"
// #include "load_pixels.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/imaging/pixels"
)

// loadPNG decodes a PNG that is in memory without libvips' loader. It returns nil for one that is too large to be
// decoded at once, and for one that pixels does not decode, which libvips' loader then does, or gives the error.
func (j *job) loadPNG() *image {
	in := j.input
	if in.spare == nil || in.source.data == nil || in.spare.format() != C.SL_FORMAT_UCHAR {
		return nil
	}
	p, ok := in.parsePNG()
	if !ok {
		return nil
	}
	buffer := C.sl_pixels_new(C.size_t(p.Buffer()))
	if buffer == nil {
		C.sl_clear_error()
		return nil
	}
	if !p.Decode(unsafe.Slice((*byte)(buffer), p.Buffer()), (*int32)(unsafe.Pointer(j.stop))) {
		C.sl_pixels_free(buffer)
		return nil
	}
	header := in.spare
	in.spare = nil
	var out *C.VipsImage
	if C.sl_load_pixels(header.v, buffer, C.int(p.Width), C.int(p.Height), &out) != 0 {
		C.sl_clear_error()
		return nil
	}
	return own(out)
}

// parsePNG reads the structure of the file, which is in memory; ok is false for one that pixels does not decode.
func (in *input) parsePNG() (p pixels.PNG, ok bool) {
	p, ok = pixels.ParsePNG(in.source.data)
	return p, ok && p.Buffer() <= cost.WholePNG && p.Width == in.header.Width && p.Height == in.header.Height &&
		p.Bands == in.header.Bands
}
