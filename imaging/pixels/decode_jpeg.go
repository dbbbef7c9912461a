package pixels

// #cgo pkg-config: libjpeg
// #include "decode_jpeg.h"
import "C"

import (
	"cmp"
	"runtime"
	"slices"
	"unsafe"
)

// Scale is what DecodeJPEG makes of a file: 1/Shrink (1, 2, 4 or 8) of it, of which Pixels takes Width x Height pixels
// from the top left corner, row by row without gaps.
type Scale struct {
	Shrink, Width, Height int
	Pixels                []byte
}

// DecodeJPEG decodes a JPEG of that many bands, gray, RGB or CMYK, as libvips' loader does: at one scale, or at several
// in one pass over its Huffman codes, which takes a file of one scan. It ends soon after *stop is not 0. With
// ErrDamaged there are pixels of a single scale, parts of which libjpeg made up; several are not finished. More than 8
// scales are ErrUnsupported.
func DecodeJPEG(file []byte, bands int, scales []Scale, stop *int32) error {
	_, err := decodeJPEG(file, bands, scales, false, stop)
	return err
}

// decodeJPEG has libjpeg decode the Huffman codes, too, if byLibjpeg says so or they are not as they should be. left is
// whether it did.
func decodeJPEG(file []byte, bands int, scales []Scale, byLibjpeg bool, stop *int32) (left bool, err error) {
	if len(file) == 0 || len(scales) == 0 || len(scales) > C.sl_max_scales {
		return byLibjpeg, ErrUnsupported
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	list := make([]C.sl_jpeg_scale, len(scales))
	// the first skips what it does not need, for all
	byShrink := func(a, b Scale) int { return cmp.Compare(a.Shrink, b.Shrink) }
	for n, s := range slices.SortedFunc(slices.Values(scales), byShrink) {
		if s.Width <= 0 || s.Height <= 0 || len(s.Pixels) != s.Width*s.Height*bands {
			return byLibjpeg, ErrUnsupported
		}
		pins.Pin(&s.Pixels[0])
		list[n] = C.sl_jpeg_scale{
			shrink: C.int(s.Shrink),
			width:  C.int(s.Width),
			height: C.int(s.Height),
			out:    (*C.uint8_t)(unsafe.Pointer(&s.Pixels[0])),
		}
	}
	libjpeg := flag(byLibjpeg)
	code := C.sl_jpeg_decode(
		(*C.uint8_t)(&file[0]), C.size_t(len(file)), C.int(bands), &list[0], C.int(len(list)), &libjpeg,
		(*C.int32_t)(stop),
	)
	return libjpeg != 0, errorOf(code, stop)
}

func flag(set bool) C.int {
	if set {
		return 1
	}
	return 0
}
