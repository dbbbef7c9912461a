package pixels

// #cgo pkg-config: libjpeg
// #include "decode_jpeg.h"
import "C"

// Outcome is how decoding a JPEG ended.
type Outcome int

// The outcomes. What is Damaged is decoded as well, but libjpeg warned of the data: it made up parts of the picture.
const (
	Refused Outcome = iota
	Decoded
	Damaged
)

// outcomeOf returns the outcome of a function in C that returns 0, 1 for damage, and -1.
func outcomeOf(code C.int) Outcome {
	switch code {
	case 0:
		return Decoded
	case 1:
		return Damaged
	}
	return Refused
}

// DecodeJPEG decodes an RGB picture at 1/shrink (1, 2, 4 or 8), rounded down to width x height pixels, into rgb, row by
// row without gaps. It gives up soon after *stop is not 0. It returns Refused then, and for other kinds of JPEG: rgb
// may have been written to.
func DecodeJPEG(file []byte, shrink, width, height int, rgb []byte, stop *int32) Outcome {
	outcome, _ := decodeJPEG(file, shrink, width, height, rgb, false, stop)
	return outcome
}

// decodeJPEG has libjpeg decode the Huffman codes, too, if byLibjpeg says so or they are not as they should be. left is
// whether it did.
func decodeJPEG(
	file []byte,
	shrink, width, height int,
	rgb []byte,
	byLibjpeg bool,
	stop *int32,
) (outcome Outcome, left bool) {
	if len(file) == 0 || width <= 0 || height <= 0 || len(rgb) != width*height*3 {
		return Refused, byLibjpeg
	}
	var libjpeg C.int
	if byLibjpeg {
		libjpeg = 1
	}
	code := C.sl_jpeg_decode(
		(*C.uint8_t)(&file[0]), C.size_t(len(file)), C.int(shrink), (*C.uint8_t)(&rgb[0]), C.int(width),
		C.int(height), &libjpeg, (*C.int32_t)(stop),
	)
	return outcomeOf(code), libjpeg != 0
}
