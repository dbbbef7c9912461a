package vips

// #include "decode_pixels.h"
// #include "library.h"
import "C"

import (
	"bytes"
	"errors"
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// decodeScales decodes a baseline JPEG that is in memory as each of the loads says, which differ, in one pass over its
// bytes. It returns nil for every other file.
func (j *job) decodeScales(loads []imaging.Load) ([]imaging.Pixels, error) {
	in := j.input
	if in.header.Format != imaging.JPEG || in.header.Whole || in.source.data == nil ||
		in.header.Bands != 1 && in.header.Bands != 3 {
		return nil, nil
	}
	data := in.source.data
	if _, ok := surveyJPEG(imaging.Source{Reader: bytes.NewReader(data), Size: int64(len(data))}); !ok {
		return nil, nil
	}
	scales := make([]pixels.Scale, len(loads))
	list := make([]imaging.Pixels, len(loads))
	for n, l := range loads {
		v := C.sl_decoded_new(C.int(l.Width), C.int(l.Height), C.int(in.header.Bands))
		if v == nil {
			C.sl_clear_error()
			freeAll(list)
			return nil, nil
		}
		list[n] = own(v).asDecoded(l, l.By(in.header))
		scales[n] = pixels.Scale{Shrink: l.Shrink, Width: l.Width, Height: l.Height, Pixels: list[n].Data}
	}
	err := pixels.DecodeJPEG(data, in.header.Bands, scales, (*int32)(unsafe.Pointer(j.stop)))
	if err == nil {
		return list, nil
	}
	freeAll(list)
	if errors.Is(err, pixels.ErrUnsupported) {
		return nil, nil
	}
	return nil, j.failed(err)
}
