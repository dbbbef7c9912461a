package vips

// #include "sl_transform.h"
// #include "sl_transform_scale.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// Rows of a picture that libvips decodes are scaled in strips that are made of about stripRows of them, or a few times
// the scale, which are in memory at once in each operation before; of frames, which their decoders hold as a whole,
// frameRows. Where a row of the result covers boxRows and more, boxes of them are averaged first.
const (
	stripRows = 64
	frameRows = 256
	boxRows   = 8
)

// partOf returns the part as imaging/pixels has it, to be scaled in linear light if that is wanted.
func partOf(p imaging.Part, linear bool) pixels.Part {
	return pixels.Part{Left: p.Left, Top: p.Top, Width: p.Width, Height: p.Height, Linear: linear}
}

// scaled returns a part of each of the stacked frames, of 8-bit sRGB, scaled down to that size by imaging/pixels:
// computed now if the picture is a still in memory, else as it is read. The bytes are the same, but for a level of
// what is seen where boxes are averaged first. It ends with an error soon after *stop is not 0.
func (i *image) scaled(part pixels.Part, width, height int, stop *C.int) (*image, error) {
	if p, ok := i.picture(); ok {
		return i.remade(width, height, func(out []byte) error {
			return pixels.Reduce(p, part, width, height, out, (*int32)(unsafe.Pointer(stop)))
		})
	}
	scale := part.Height / float64(height)
	if scale >= boxRows && i.pages() == 1 {
		box, in := int(scale/2), i.premultiplied
		if part.Linear {
			in = i.inLinear
		}
		low, err := in(func(i *image) (*image, error) {
			var out *C.VipsImage
			return made(&out, C.sl_shrink_rows(i.v, &out, C.int(box)))
		})
		if err != nil {
			return nil, err
		}
		defer low.close()
		i, part.Top, part.Height = low, part.Top/float64(box), part.Height/float64(box)
		scale = part.Height / float64(height)
	}
	scaling := C.sl_scaling{
		left: C.double(part.Left), top: C.double(part.Top),
		width: C.double(part.Width), height: C.double(part.Height),
		from_width: C.int(i.width()), from_height: C.int(i.pageHeight()), bands: C.int(i.bands()),
		to_width: C.int(width), to_height: C.int(height), stop: stop,
	}
	if part.Linear {
		scaling.linear = 1
	}
	strip := stripRows / scale
	if i.pages() > 1 {
		strip = frameRows / scale
	}
	var out *C.VipsImage
	return made(&out, C.sl_scale(i.v, &out, scaling, C.int(max(int(strip)/8*8, 8))))
}

// slScaleRows makes n rows of a frame, from the row y on, of rows of the frame's picture from first on.
//
//export slScaleRows
func slScaleRows(s *C.sl_scaling, in unsafe.Pointer, first, rows C.int, out unsafe.Pointer, y, n C.int) C.int {
	scale := s.height / C.double(s.to_height)
	part := pixels.Part{
		Left:   float64(s.left),
		Top:    float64(s.top + C.double(y)*scale - C.double(first)),
		Width:  float64(s.width),
		Height: float64(C.double(n) * scale),
		Linear: s.linear != 0,
	}
	p := pixels.Picture{Width: int(s.from_width), Height: int(rows), Bands: int(s.bands)}
	p.Pixels = unsafe.Slice((*byte)(in), p.Width*p.Height*p.Bands)
	result := unsafe.Slice((*byte)(out), int(s.to_width)*int(n)*p.Bands)
	if pixels.Reduce(p, part, int(s.to_width), int(n), result, (*int32)(unsafe.Pointer(s.stop))) != nil {
		return -1
	}
	return 0
}
