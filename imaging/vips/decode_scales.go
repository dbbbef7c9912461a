package vips

// #cgo pkg-config: libjpeg
// #include "decode_scales.h"
import "C"

import (
	"bytes"
	"cmp"
	"slices"
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// decodeScales decodes a baseline JPEG that is in memory as each of the loads says, which differ, in one pass over its bytes. It returns nil for
// every other file, and for one that libjpeg does not decode without a warning.
func (j *job) decodeScales(loads []imaging.Load) []*image {
	in := j.input
	if in.header.Format != imaging.JPEG || in.header.Whole || in.source.data == nil {
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
	scales := make([]C.sl_scale, len(loads))
	for at, n := range order {
		scales[at].shrink, scales[at].width, scales[at].height = C.int(loads[n].Shrink), C.int(loads[n].Width), C.int(loads[n].Height)
	}
	if C.sl_decode_scales(unsafe.Pointer(&data[0]), C.size_t(len(data)), C.int(in.header.Bands), &scales[0], C.int(len(scales)), j.stop) != 0 {
		return nil
	}
	list := make([]*image, len(loads))
	for at, n := range order {
		list[n] = own(scales[at].out)
	}
	return list
}
