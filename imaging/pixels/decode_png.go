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

// Decode decodes the pixels into the start of buffer, which has Buffer bytes, row by row without gaps. It gives up soon
// after *stop is not 0. ok is false then, and for damaged data: the buffer may have been written to.
func (p PNG) Decode(buffer []byte, stop *int32) (ok bool) { return p.decode(buffer, stop, 0) }

func (p PNG) decode(buffer []byte, stop *int32, plain int) (ok bool) {
	if int64(len(buffer)) != p.Buffer() || atomic.LoadInt32(stop) != 0 {
		return false
	}
	data, free := p.joined()
	if len(data) == 0 {
		return false
	}
	code := C.sl_png_inflate(
		unsafe.Pointer(&data[0]), C.size_t(len(data)), unsafe.Pointer(&buffer[0]), C.size_t(len(buffer)),
	)
	free()
	if code != 0 {
		return false
	}
	if atomic.LoadInt32(stop) != 0 {
		return false
	}
	return C.sl_png_unfilter(
		(*C.uint8_t)(&buffer[0]), C.size_t(p.Row()), C.size_t(p.Height), C.int(p.Bands), C.int(plain),
	) == 0
}

// joined returns the data of all IDAT chunks in one piece, until free; none if they are empty or there is not enough
// memory.
func (p PNG) joined() (data []byte, free func()) {
	if len(p.deflated) == 1 {
		return p.deflated[0], func() {}
	}
	size := 0
	for _, one := range p.deflated {
		size += len(one)
	}
	if size == 0 {
		return nil, func() {}
	}
	block := C.sl_allocate(C.size_t(size))
	if block == nil {
		return nil, func() {}
	}
	data = unsafe.Slice((*byte)(block), size)[:0]
	for _, one := range p.deflated {
		data = append(data, one...)
	}
	return data, func() { C.free(block) }
}
