package vips

import (
	"errors"
	"unsafe"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// loadJPEG decodes a JPEG that is in memory without libvips' loader and its threads. What is damaged is decoded, with a
// warning.
func (j *job) loadJPEG(l imaging.Load) (*image, error) {
	return j.ofSpare(l.Size(), func(rgb []byte) error {
		scale := pixels.Scale{Shrink: l.Shrink, Width: l.Width, Height: l.Height, Pixels: rgb}
		stop := (*int32)(unsafe.Pointer(j.stop))
		return j.tolerated(pixels.DecodeJPEG(j.input.source.data, 3, []pixels.Scale{scale}, stop))
	})
}

// loadScaledJPEG is loadJPEG that scales the rows as they are decoded.
func (j *job) loadScaledJPEG(l imaging.Load) (*image, error) {
	part, to := partOf(j.plan.Part, j.plan.Request.Limits.Linear), j.plan.Scaled
	return j.ofSpare(to, func(rgb []byte) error {
		return j.tolerated(pixels.ReduceJPEG(
			j.input.source.data, l.Shrink, l.Width, l.Height, part, to.Width, to.Height, rgb,
			(*int32)(unsafe.Pointer(j.stop)),
		))
	})
}

// ofSpare returns an image of that size whose pixels fill writes, with the header of the file, which is given up then.
func (j *job) ofSpare(size imaging.Size, fill func(pixels []byte) error) (*image, error) {
	in := j.input
	out, err := in.spare.remade(size.Width, size.Height, fill)
	if err == nil {
		in.spare.close()
		in.spare = nil
	}
	return out, err
}

// tolerated returns the error of decoding a JPEG, but makes a warning of damage.
func (j *job) tolerated(err error) error {
	if errors.Is(err, pixels.ErrDamaged) {
		j.damaged = true
		j.warnCorrupt()
		return nil
	}
	return err
}
