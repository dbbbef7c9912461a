package pixels

// #include <stdlib.h>
// #include "jpeg_scales.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Scale is what DecodeJPEGScales makes of a file: 1/Shrink (1, 2, 4 or 8) of it, of which Pixels takes Width x Height pixels from the top left corner, row by
// row without gaps.
type Scale struct {
	Shrink, Width, Height int
	Pixels                []byte
}

// DecodeJPEGScales decodes a JPEG of that many bands, gray or YCbCr, at several scales in one pass over its Huffman codes, as libvips' loader does. The first scale has
// the least shrink. It gives up soon after *stop is not 0. It returns false then, for more than 8 scales, for other kinds of JPEG and other sizes, and for data that
// libjpeg warns of: pixels may have been written to.
func DecodeJPEGScales(file []byte, bands int, scales []Scale, stop *int32) bool {
	if len(file) == 0 || len(scales) == 0 || len(scales) > C.sl_scales_most {
		return false
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	list := make([]C.sl_scale, len(scales))
	for n, s := range scales {
		if s.Width <= 0 || s.Height <= 0 || len(s.Pixels) != s.Width*s.Height*bands {
			return false
		}
		pins.Pin(&s.Pixels[0])
		list[n] = C.sl_scale{shrink: C.int(s.Shrink), width: C.int(s.Width), height: C.int(s.Height), out: (*C.uint8_t)(unsafe.Pointer(&s.Pixels[0]))}
	}
	return C.sl_jpeg_scales((*C.uint8_t)(&file[0]), C.size_t(len(file)), C.int(bands), &list[0], C.int(len(list)), (*C.int32_t)(stop)) == 0
}
