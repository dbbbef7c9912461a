package pixels

// #cgo CFLAGS: -O2
// #cgo pkg-config: libdeflate
// #include <stdlib.h>
// #include "decode_png.h"
// static void *sl_allocate(size_t size) { return malloc(size); } // C.malloc ends the process where there is not enough
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Decode decodes the pixels into the start of buffer, which has Buffer bytes, row by row without gaps. It ends soon
// after *stop is not 0. With ErrDamaged there are no pixels.
func (p PNG) Decode(buffer []byte, stop *int32) error { return p.decode(buffer, stop, 0) }

func (p PNG) decode(buffer []byte, stop *int32, plain int) error {
	if int64(len(buffer)) != p.Buffer() {
		return ErrUnsupported
	}
	if atomic.LoadInt32(stop) != 0 {
		return ErrStopped
	}
	data, free, err := p.joined()
	if err != nil {
		return err
	}
	code := C.sl_png_inflate(
		unsafe.Pointer(&data[0]), C.size_t(len(data)), unsafe.Pointer(&buffer[0]), C.size_t(len(buffer)),
	)
	free()
	if atomic.LoadInt32(stop) != 0 {
		return ErrStopped
	}
	if code == C.sl_ok {
		code = C.sl_png_unfilter(
			(*C.uint8_t)(&buffer[0]), C.size_t(p.Row()), C.size_t(p.Height), C.int(p.Bands), C.int(plain),
		)
	}
	return errorOf(code, stop)
}

// joined returns the data of all IDAT chunks, which are not empty, in one piece, until free.
func (p PNG) joined() (data []byte, free func(), err error) {
	if len(p.deflated) == 1 && len(p.deflated[0]) > 0 {
		return p.deflated[0], func() {}, nil
	}
	size := 0
	for _, one := range p.deflated {
		size += len(one)
	}
	if size == 0 {
		return nil, nil, ErrDamaged
	}
	block := C.sl_allocate(C.size_t(size))
	if block == nil {
		return nil, nil, ErrMemory
	}
	data = unsafe.Slice((*byte)(block), size)[:0]
	for _, one := range p.deflated {
		data = append(data, one...)
	}
	return data, func() { C.free(block) }, nil
}
