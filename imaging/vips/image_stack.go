package vips

// #include "image.h"
import "C"

// stack puts frames of one size below each other, with a header that says how high one is. A
// single frame stays as it is, a still.
func stack(frames []*image) (*image, error) {
	if len(frames) == 1 {
		return frames[0].ref(), nil
	}
	list := make([]*C.VipsImage, len(frames))
	for n, frame := range frames {
		list[n] = frame.v
	}
	var out *C.VipsImage
	code := C.sl_join_down(&list[0], &out, C.int(len(list)))
	joined, err := made(out, code)
	if err != nil {
		return nil, err
	}
	defer joined.close()
	return joined.withFrames(frames[0].height())
}
