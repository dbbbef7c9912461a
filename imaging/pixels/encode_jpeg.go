package pixels

// #cgo pkg-config: libjpeg
// #include <stdlib.h>
// #include "encode_jpeg.h"
// #include "jpeg_managers.h"
import "C"

import "unsafe"

// EncodeJPEG returns a gray or RGB picture as a JPEG without metadata, identical to what libvips' saver writes with
// optimized tables. It ends soon after *stop is not 0. Sides over 65500 pixels result in ErrUnsupported.
func EncodeJPEG(p Picture, quality int, stop *int32) ([]byte, error) {
	if p.Bands != 1 && p.Bands != 3 || p.Width <= 0 || p.Height <= 0 || len(p.Pixels) != p.Width*p.Height*p.Bands ||
		max(p.Width, p.Height) > C.JPEG_MAX_DIMENSION {
		return nil, ErrUnsupported
	}
	var size C.size_t
	file := C.sl_jpeg_encode(
		(*C.uint8_t)(&p.Pixels[0]), C.int(p.Width), C.int(p.Height), C.int(p.Bands), C.int(quality), &size,
		(*C.int32_t)(stop),
	)
	if file == nil {
		return nil, errorOf(C.sl_no_memory, stop)
	}
	defer C.free(unsafe.Pointer(file))
	return C.GoBytes(unsafe.Pointer(file), C.int(size)), nil
}
