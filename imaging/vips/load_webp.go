package vips

// #cgo pkg-config: libwebp
// #include "library.h"
// #include "load_pixels.h"
// #include "load_webp.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/imaging/pixels"
)

// loadWebP decodes a WebP still that is in memory without libvips' loader. It returns nil for every other file, and for
// one that libwebp does not decode: libvips' loader then gives the error.
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
	if C.sl_load_webp(
		header.v, unsafe.Pointer(&data[0]), C.size_t(len(data)), C.int(width), C.int(height), j.stop, &out,
	) != 0 {
		C.sl_clear_error()
		return nil
	}
	return own(out)
}

// loadReducedWebP decodes a lossy WebP still right at the size that it is scaled to, where nothing is done to it
// before. It returns nil for other files and plans.
func (j *job) loadReducedWebP(l imaging.Load) *image {
	in, to := j.input, j.plan.Scaled
	h := in.header
	all := imaging.Size{Width: l.Width, Height: l.Height}.Whole()
	if !j.scalesFirst() || j.plan.Part != all || l.Scale == 1 || h.Pages != 1 || h.Alpha || h.Bands != 3 || in.spare == nil || in.source.data == nil ||
		int64(h.Width)*int64(h.Height)*3/2 > cost.WholeWebP || 2*to.Width > h.Width ||
		2*to.Height > h.Height {
		return nil
	}
	if err := in.keepHeader(); err != nil {
		return nil
	}
	out := in.spare.remade(to.Width, to.Height, func(rgb []byte) bool {
		return pixels.ReduceWebP(
			in.source.data, h.Width, h.Height, to.Width, to.Height, rgb, (*int32)(unsafe.Pointer(j.stop)),
		)
	})
	if out != nil {
		in.spare.close()
		in.spare = nil
	}
	return out
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

// scalesFirst reports whether nothing is done to the picture as loaded before it is scaled.
func (j *job) scalesFirst() bool {
	return j.icc == nil && cost.ScalesFirst(j.plan)
}
