package vips

// #include "library.h"
// #include "load_pixels.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging/pixels"
)

// loadPNG decodes a PNG that is in memory without libvips' loader.
func (j *job) loadPNG() (*image, error) {
	in := j.input
	p, ok := in.parsePNG()
	if !ok {
		return nil, pixels.ErrUnsupported
	}
	buffer := C.sl_pixels_new(C.size_t(p.Buffer()))
	if buffer == nil {
		C.sl_clear_error()
		return nil, pixels.ErrMemory
	}
	if err := p.Decode(unsafe.Slice((*byte)(buffer), p.Buffer()), (*int32)(unsafe.Pointer(j.stop))); err != nil {
		C.sl_pixels_free(buffer)
		return nil, err
	}
	header := in.spare
	in.spare = nil
	var out *C.VipsImage
	return made(out, C.sl_load_pixels(header.v, buffer, C.int(p.Width), C.int(p.Height), &out))
}

// parsePNG reads the structure of the file, which is in memory; ok is false for one that pixels does not decode.
func (in *input) parsePNG() (p pixels.PNG, ok bool) {
	p, ok = pixels.ParsePNG(in.source.data)
	h := in.header
	return p, ok && p.Width == h.Width && p.Height == h.Height && p.Bands == h.Bands
}
