package pixels

// #include "encode_webp.h"
// #include "result.h"
// #include <webp/encode.h>
import "C"

import "unsafe"

// WebPEncoder holds the parameters of a WebP encoder.
type WebPEncoder struct {
	Quality  int // 0 to 100
	Effort   int // 0 to 6
	Lossless bool
	Threads  bool // libwebp may use a second thread; the result is identical
}

// EncodeWebP returns an RGB or RGBA picture as a WebP still without metadata, identical to what libvips' saver writes.
// It ends soon after *stop is not 0. Sides over 16383 pixels result in ErrUnsupported.
func EncodeWebP(p Picture, as WebPEncoder, stop *int32) ([]byte, error) {
	if p.Bands < 3 || p.Bands > 4 || p.Width <= 0 || p.Height <= 0 || len(p.Pixels) != p.Width*p.Height*p.Bands ||
		max(p.Width, p.Height) > C.WEBP_MAX_DIMENSION {
		return nil, ErrUnsupported
	}
	encoder := C.sl_webp_encoder{quality: C.int(as.Quality), effort: C.int(as.Effort)}
	if as.Lossless {
		encoder.lossless = 1
	}
	if as.Threads {
		encoder.threads = 1
	}
	var size C.size_t
	file := C.sl_webp_encode(
		(*C.uint8_t)(&p.Pixels[0]), C.int(p.Width), C.int(p.Height), C.int(p.Bands), &encoder, &size,
		(*C.int32_t)(stop),
	)
	if file == nil {
		return nil, errorOf(C.sl_no_memory, stop)
	}
	defer C.WebPFree(unsafe.Pointer(file))
	return C.GoBytes(unsafe.Pointer(file), C.int(size)), nil
}
