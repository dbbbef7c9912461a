package vips

// #include "decode_pixels.h"
// #include "library.h"
import "C"

import (
	"bytes"
	"cmp"
	"slices"
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// decodeScales decodes a baseline JPEG that is in memory as each of the loads says, which differ, in one pass over its bytes. It returns nil for
// every other file, and for one that libjpeg does not decode without a warning.
func (j *job) decodeScales(loads []imaging.Load) []*image {
	in := j.input
	if in.header.Format != imaging.JPEG || in.header.Whole || in.source.data == nil || in.header.Bands != 1 && in.header.Bands != 3 {
		return nil
	}
	data := in.source.data
	if _, ok := surveyJPEG(imaging.Source{Reader: bytes.NewReader(data), Size: int64(len(data))}); !ok {
		return nil
	}
	order := make([]int, len(loads))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(loads[a].Shrink, loads[b].Shrink) })
	scales := make([]pixels.Scale, len(loads))
	list := make([]*image, len(loads))
	for at, n := range order {
		l := loads[n]
		v := C.sl_decoded_new(C.int(l.Width), C.int(l.Height), C.int(in.header.Bands))
		if v == nil {
			C.sl_clear_error()
			closeAll(list)
			return nil
		}
		list[n] = own(v)
		scales[at] = pixels.Scale{Shrink: l.Shrink, Width: l.Width, Height: l.Height, Pixels: list[n].asDecoded(l).Data}
	}
	if !pixels.DecodeJPEGScales(data, in.header.Bands, scales, (*int32)(unsafe.Pointer(j.stop))) {
		closeAll(list)
		return nil
	}
	return list
}

// closeAll closes the images that are there.
func closeAll(list []*image) {
	for _, i := range list {
		if i != nil {
			i.close()
		}
	}
}
