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

// Scale is one output of DecodeJPEG. The file is decoded at 1/Shrink, where Shrink is 1, 2, 4 or 8. Pixels receives
// Width x Height pixels from its top left corner, row by row without gaps.
type Scale struct {
	Shrink, Width, Height int
	Pixels                []byte
}

// DecodeJPEG decodes a JPEG with the given number of bands, gray, RGB or CMYK, as libvips' loader does. It decodes one
// scale, or several scales in one pass over the Huffman codes, which requires a file with a single scan. It ends soon
// after *stop is not 0. With ErrDamaged, the pixels of a single scale are complete, but libjpeg has filled in parts of
// them; several scales are incomplete. More than 8 scales result in ErrUnsupported.
func DecodeJPEG(file []byte, bands int, scales []Scale, stop *int32) error {
	_, err := decodeJPEG(file, bands, scales, false, stop)
	return err
}

// decodeJPEG lets libjpeg decode the Huffman codes if byLibjpeg is set, or if the codes are not valid. left reports
// whether libjpeg did.
func decodeJPEG(file []byte, bands int, scales []Scale, byLibjpeg bool, stop *int32) (left bool, err error) {
	if len(file) == 0 || len(scales) == 0 || len(scales) > C.sl_max_scales {
		return byLibjpeg, ErrUnsupported
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	list := make([]C.sl_jpeg_scale, len(scales))
	// The first scale decides for all scales what is skipped.
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
