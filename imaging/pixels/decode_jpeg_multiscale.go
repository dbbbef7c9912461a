package pixels

// #include <stdlib.h>
// #include "decode_jpeg_multiscale.h"
import "C"

import (
	"cmp"
	"runtime"
	"slices"
	"unsafe"
)

// Scale is what DecodeJPEGScales makes of a file: 1/Shrink (1, 2, 4 or 8) of it, of which Pixels takes Width x Height
// pixels from the top left corner, row by row without gaps.
type Scale struct {
	Shrink, Width, Height int
	Pixels                []byte
}

// DecodeJPEGScales decodes a JPEG of that many bands, gray or YCbCr, at several scales in one pass over its Huffman
// codes, as libvips' loader does. It ends once libjpeg warns of the data, which is ErrDamaged, and soon after *stop is
// not 0. More than 8 scales are ErrUnsupported.
func DecodeJPEGScales(file []byte, bands int, scales []Scale, stop *int32) error {
	if len(file) == 0 || len(scales) == 0 || len(scales) > C.sl_max_scales {
		return ErrUnsupported
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	list := make([]C.sl_jpeg_scale, len(scales))
	// the first skips what it does not need, for all
	byShrink := func(a, b Scale) int { return cmp.Compare(a.Shrink, b.Shrink) }
	for n, s := range slices.SortedFunc(slices.Values(scales), byShrink) {
		if s.Width <= 0 || s.Height <= 0 || len(s.Pixels) != s.Width*s.Height*bands {
			return ErrUnsupported
		}
		pins.Pin(&s.Pixels[0])
		list[n] = C.sl_jpeg_scale{
			shrink: C.int(s.Shrink),
			width:  C.int(s.Width),
			height: C.int(s.Height),
			out:    (*C.uint8_t)(unsafe.Pointer(&s.Pixels[0])),
		}
	}
	return errorOf(
		C.sl_jpeg_decode_scales(
			(*C.uint8_t)(&file[0]), C.size_t(len(file)), C.int(bands), &list[0], C.int(len(list)),
			(*C.int32_t)(stop),
		), stop,
	)
}
