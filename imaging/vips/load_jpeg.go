package vips

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// loadJPEG decodes a JPEG that is in memory without libvips' loader and its threads. It returns nil for one that
// imaging/pixels does not decode. What is damaged is decoded, with a warning.
func (j *job) loadJPEG(l imaging.Load) *image {
	return j.ofSpare(l.Size(), func(rgb []byte) bool {
		return j.decodes(pixels.DecodeJPEG(
			j.input.source.data, l.Shrink, l.Width, l.Height, rgb, (*int32)(unsafe.Pointer(j.stop)),
		))
	})
}

// loadScaledJPEG is loadJPEG that scales the rows as they are decoded.
func (j *job) loadScaledJPEG(l imaging.Load) *image {
	part, to := pixels.Part(j.plan.Part), j.plan.Scaled
	return j.ofSpare(to, func(rgb []byte) bool {
		return j.decodes(pixels.ReduceJPEG(
			j.input.source.data, l.Shrink, l.Width, l.Height, part, to.Width, to.Height, rgb,
			(*int32)(unsafe.Pointer(j.stop)),
		))
	})
}

// ofSpare returns an image of that size whose pixels fill writes, with the header of the file, which is given up then;
// nil if fill returns false.
func (j *job) ofSpare(size imaging.Size, fill func(pixels []byte) bool) *image {
	in := j.input
	out := in.spare.remade(size.Width, size.Height, fill)
	if out != nil {
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
