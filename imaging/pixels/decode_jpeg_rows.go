package pixels

// #include <stdlib.h>
// #include "decode_jpeg_scanlines.h"
// static sl_jpeg_decoder *sl_allocate_decoder(void) { return calloc(1, sizeof(sl_jpeg_decoder)); }
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// JPEGRows decodes a JPEG row by row, so that the whole picture need not be in memory. Only one goroutine may use it
// at a time.
type JPEGRows struct {
	decoder *C.sl_jpeg_decoder // nil after all rows were read
	stride  int
	decoded int
	end     error // result of Read after the last row
	stop    *int32
	pins    runtime.Pinner
}

// OpenJPEG starts to decode a JPEG with the given number of bands at 1/shrink. The rows are the width x height pixels
// that DecodeJPEG would return. It reads all of a file with several scans at once. The file must not change before
// Close.
func OpenJPEG(file []byte, bands, shrink, width, height int, stop *int32) (*JPEGRows, error) {
	if len(file) == 0 {
		return nil, ErrUnsupported
	}
	r := &JPEGRows{decoder: C.sl_allocate_decoder(), stop: stop}
	if r.decoder == nil {
		return nil, ErrMemory
	}
	r.pins.Pin(&file[0])
	r.pins.Pin(stop)
	as := scalingOf(file, bands, shrink, width, height, stop)
	if C.sl_jpeg_decoder_start(r.decoder, &as) != 0 {
		err := r.failure()
		r.Close()
		return nil, err
	}
	r.stride = int(r.decoder.stride)
	return r, nil
}

func scalingOf(file []byte, bands, shrink, width, height int, stop *int32) C.sl_jpeg_scaling {
	return C.sl_jpeg_scaling{
		file: (*C.uint8_t)(&file[0]), size: C.size_t(len(file)), bands: C.int(bands), shrink: C.int(shrink),
		width: C.int(width), height: C.int(height), stop: (*C.int32_t)(stop),
	}
}

func (r *JPEGRows) failure() error { return errorOf(C.sl_jpeg_result(&r.decoder.jerr), r.stop) }

// Decoded returns the number of rows that were read.
func (r *JPEGRows) Decoded() int { return r.decoded }

// Read fills out with the next decoded rows. It returns an error soon after *stop is not 0. After the last row,
// ErrDamaged means that libjpeg has filled in parts of the picture. The decoder, including the coefficients of a file
// with several scans, is then freed.
func (r *JPEGRows) Read(out []byte) error {
	for ; len(out) >= r.stride; out = out[r.stride:] {
		if r.decoder == nil {
			return ErrUnsupported
		}
		if atomic.LoadInt32(r.stop) != 0 {
			return ErrStopped
		}
		if C.sl_jpeg_decoder_read(r.decoder, (*C.uint8_t)(&out[0])) != 0 {
			return r.failure()
		}
		r.decoded = int(r.decoder.decoded)
	}
	if r.decoder != nil && r.decoder.decoded == r.decoder.as.height {
		C.sl_jpeg_decoder_finish(r.decoder)
		if C.sl_jpeg_decoder_warned(r.decoder) != 0 {
			r.end = ErrDamaged
		}
		r.Close()
	}
	return r.end
}

// Close frees the decoder; it may be called on nil.
func (r *JPEGRows) Close() {
	if r == nil || r.decoder == nil {
		return
	}
	C.sl_jpeg_decoder_destroy(r.decoder)
	C.free(unsafe.Pointer(r.decoder))
	r.decoder = nil
	r.pins.Unpin()
}
