package vips

// #include <stdint.h>
import "C"

import (
	"io"
	"runtime/cgo"
	"unsafe"
)

// slSourceRead fills the buffer from the reader of that handle: the number of bytes, 0 at the
// end, -1 for an error.
//
//export slSourceRead
func slSourceRead(handle C.uintptr_t, buffer unsafe.Pointer, length C.int64_t) C.int64_t {
	reader := cgo.Handle(handle).Value().(io.ReadSeeker)
	n, err := io.ReadFull(reader, unsafe.Slice((*byte)(buffer), int(length)))
	if n == 0 && err != nil && err != io.EOF {
		return -1
	}
	return C.int64_t(n)
}

// slSourceSeek moves the reader of that handle: its new place from the start, -1 for an error.
//
//export slSourceSeek
func slSourceSeek(handle C.uintptr_t, offset C.int64_t, whence C.int) C.int64_t {
	reader := cgo.Handle(handle).Value().(io.ReadSeeker)
	place, err := reader.Seek(int64(offset), int(whence))
	if err != nil {
		return -1
	}
	return C.int64_t(place)
}
