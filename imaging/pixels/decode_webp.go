package pixels

// #cgo pkg-config: libwebp
// #include "decode_webp.h"
// #include "decode_webp_reduce.h"
import "C"

// DecodeWebP decodes a WebP still of fromWidth x fromHeight pixels, into out, with alpha for 4 bands and without for
// 3. libwebp scales it to width x height. It ends soon after *stop is not 0. After ErrDamaged, out contains no valid
// pixels.
func DecodeWebP(file []byte, fromWidth, fromHeight, bands, width, height int, out []byte, stop *int32) error {
	if len(file) == 0 || width <= 0 || height <= 0 || len(out) != width*height*bands {
		return ErrUnsupported
	}
	return errorOf(C.sl_webp_decode(
		(*C.uint8_t)(&file[0]), C.size_t(len(file)), C.int(fromWidth), C.int(fromHeight), C.int(bands),
		(*C.uint8_t)(&out[0]), C.int(width), C.int(height), (*C.int32_t)(stop),
	), stop)
}

// ReduceWebP decodes a lossy WebP still without alpha, of fromWidth x fromHeight pixels, and scales it to width x
// height RGB pixels, at most half of each side. It scales the chroma planes, which have half the size, without
// enlarging them first. It ends soon after *stop is not 0. After ErrDamaged, rgb contains no valid pixels.
func ReduceWebP(file []byte, fromWidth, fromHeight, width, height int, rgb []byte, stop *int32) error {
	return reduceWebP(file, [2]int{fromWidth, fromHeight}, width, height, rgb, stop, allInstructions)
}

func reduceWebP(file []byte, from [2]int, width, height int, rgb []byte, stop *int32, instructions int) error {
	if len(file) == 0 || width <= 0 || height <= 0 || 2*width > from[0] || 2*height > from[1] ||
		len(rgb) != width*height*3 {
		return ErrUnsupported
	}
	return errorOf(C.sl_webp_reduce(
		(*C.uint8_t)(&file[0]), C.size_t(len(file)), C.int(from[0]), C.int(from[1]), (*C.uint8_t)(&rgb[0]),
		C.int(width), C.int(height), (*C.int32_t)(stop), C.int(instructions),
	), stop)
}
