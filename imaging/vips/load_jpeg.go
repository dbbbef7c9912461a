package vips

// #include "library.h"
// #include "load_pixels.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/imaging/pixels"
)

// loadJPEG decodes a JPEG that is in memory without libvips' loader and its threads. It returns nil for one that is
// large as decoded, and for one that pixels does not decode, which libvips' loader then does, or gives the error.
// What is damaged is decoded, with a warning.
func (j *job) loadJPEG(l imaging.Load) *image {
	in := j.input
	if j.refused || in.spare == nil || in.source.data == nil || !in.takesJPEG(l) {
		return nil
	}
	out := in.spare.remade(l.Width, l.Height, func(rgb []byte) bool {
		return j.decodes(
			pixels.DecodeJPEG(in.source.data, l.Shrink, l.Width, l.Height, rgb, (*int32)(unsafe.Pointer(j.stop))),
		)
	})
	if out != nil {
		in.spare.close()
		in.spare = nil
	}
	return out
}

// loadReducedJPEG scales a JPEG while it is decoded, where nothing is done to it before, and it has not been decoded
// for others. It returns nil for other files and plans.
func (j *job) loadReducedJPEG(l imaging.Load) *image {
	in, part, to := j.input, j.plan.Part, j.plan.Scaled
	if j.tolerant || j.shared != nil || in.spare == nil || in.source.data == nil || !in.takesJPEG(l) || !j.scalesFirst() ||
		to.Width > l.Width || to.Height > l.Height ||
		to == (imaging.Size{Width: l.Width, Height: l.Height}) {
		return nil
	}
	out := in.spare.remade(to.Width, to.Height, func(rgb []byte) bool {
		return j.decodes(
			pixels.ReduceJPEG(in.source.data, l.Shrink, l.Width, l.Height, pixels.Part(part), to.Width, to.Height, rgb,
				(*int32)(unsafe.Pointer(j.stop))),
		)
	})
	if j.refused = out == nil; !j.refused {
		in.spare.close()
		in.spare = nil
	}
	return out
}

// decodes reports whether there are pixels, and warns of damage.
func (j *job) decodes(outcome pixels.Outcome) bool {
	if outcome == pixels.Damaged {
		j.damaged = true
		j.warnCorrupt()
	}
	return outcome != pixels.Refused
}

// takesJPEG reports whether the header is that of a JPEG that pixels decodes.
func (in *input) takesJPEG(l imaging.Load) bool {
	return !in.header.Whole && in.header.Bands == 3 && int64(l.Width)*int64(l.Height)*3 <= cost.WholeJPEG
}
