package pixels

// #include "decode_jpeg_reduce.h"
import "C"

import "runtime"

// ReduceJPEG combines DecodeJPEG at 1/shrink to fromWidth x fromHeight pixels with Reduce of a part of these to width
// x height. It scales the rows while it decodes them, so they are never all in memory.
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

// reduceJPEG lets libjpeg decode the Huffman codes as decodeJPEG does.
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
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(&file[0])
	pins.Pin(stop)
	as := C.sl_jpeg_reduction{
		rows:         scalingOf(file, 3, shrink, from[0], from[1], stop),
		region:       part.c(),
		to_width:     C.int(to[0]),
		to_height:    C.int(to[1]),
		instructions: allInstructions,
	}
	libjpeg := flag(byLibjpeg)
	code := C.sl_jpeg_reduce(&as, (*C.uint8_t)(&rgb[0]), &libjpeg)
	return libjpeg != 0, errorOf(code, stop)
}
