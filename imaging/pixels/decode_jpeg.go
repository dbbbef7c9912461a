package pixels

// #cgo pkg-config: libjpeg
// #include "decode_jpeg.h"
import "C"

// DecodeJPEG decodes an RGB picture at 1/shrink (1, 2, 4 or 8), rounded down to width x height pixels, into rgb, row by
// row without gaps. It ends soon after *stop is not 0. With ErrDamaged there are pixels, parts of which libjpeg made
// up.
func DecodeJPEG(file []byte, shrink, width, height int, rgb []byte, stop *int32) error {
	_, err := decodeJPEG(file, shrink, width, height, rgb, false, stop)
	return err
}

// decodeJPEG has libjpeg decode the Huffman codes, too, if byLibjpeg says so or they are not as they should be. left is
// whether it did.
func decodeJPEG(
	file []byte,
	shrink, width, height int,
	rgb []byte,
	byLibjpeg bool,
	stop *int32,
) (left bool, err error) {
	if len(file) == 0 || width <= 0 || height <= 0 || len(rgb) != width*height*3 {
		return byLibjpeg, ErrUnsupported
	}
	var libjpeg C.int
	if byLibjpeg {
		libjpeg = 1
	}
	code := C.sl_jpeg_decode(
		(*C.uint8_t)(&file[0]), C.size_t(len(file)), C.int(shrink), (*C.uint8_t)(&rgb[0]), C.int(width),
		C.int(height), &libjpeg, (*C.int32_t)(stop),
	)
	return libjpeg != 0, errorOf(code, stop)
}
