package pixels

// #include "decode_jpeg_reduce.h"
import "C"

// ReduceJPEG is DecodeJPEG at 1/shrink to fromWidth x fromHeight pixels and Reduce of a part of these to width x height
// in one: the rows are scaled as they are decoded, and never all in memory.
func ReduceJPEG(
	file []byte,
	shrink, fromWidth, fromHeight int,
	part Part,
	width, height int,
	rgb []byte,
	stop *int32,
) error {
	_, err := reduceJPEG(
		file, shrink, [2]int{fromWidth, fromHeight}, part, [2]int{width, height}, rgb, false, stop,
	)
	return err
}

// reduceJPEG has libjpeg decode the Huffman codes as decodeJPEG does.
func reduceJPEG(
	file []byte,
	shrink int,
	from [2]int,
	part Part,
	to [2]int,
	rgb []byte,
	byLibjpeg bool,
	stop *int32,
) (left bool, err error) {
	if len(file) == 0 || to[0] <= 0 || to[1] <= 0 || part.isEnlarged(to[0], to[1]) || !part.lies(from[0], from[1]) ||
		len(rgb) != to[0]*to[1]*3 {
		return byLibjpeg, ErrUnsupported
	}
	var libjpeg C.int
	if byLibjpeg {
		libjpeg = 1
	}
	as := C.sl_jpeg_reduction{
		shrink:       C.int(shrink),
		width:        C.int(from[0]),
		height:       C.int(from[1]),
		region:       part.c(),
		to_width:     C.int(to[0]),
		to_height:    C.int(to[1]),
		instructions: allInstructions,
	}
	code := C.sl_jpeg_reduce(
		(*C.uint8_t)(&file[0]), C.size_t(len(file)), &as, (*C.uint8_t)(&rgb[0]), &libjpeg, (*C.int32_t)(stop),
	)
	return libjpeg != 0, errorOf(code, stop)
}
