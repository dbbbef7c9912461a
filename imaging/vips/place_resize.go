package vips

// #include "place.h"
// #include "place_linear.h"
// #include "image.h"
import "C"

import (
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// resize scales every frame, all of it, to exactly that size.
func (j *job) resize(width, height int) error {
	return j.resizePart(j.image.whole(), width, height)
}

// whole is all of a frame.
func (i *image) whole() imaging.Part {
	return imaging.Size{Width: i.width(), Height: i.pageHeight()}.Whole()
}

// resizePart scales that part of every frame to exactly that size.
func (j *job) resizePart(part imaging.Part, width, height int) error {
	if width == j.image.width() && height == j.image.pageHeight() { // nothing to do, or done while it was decoded
		return nil
	}
	linear := j.plan.Request.Limits.Linear
	if part.EnlargedTo(imaging.Size{Width: width, Height: height}) {
		return j.perFrame(func(i *image) (*image, error) { return i.stretched(width, height, linear, j.stop) })
	}
	err := j.apply(func(i *image) (*image, error) {
		if linear {
			return i.inLinear(func(i *image) (*image, error) { return i.reduceFrames(part, width, height) })
		}
		return i.scaled(part, width, height, j.stop)
	})
	if _, held := j.image.picture(); err == nil && !held { // it is scaled as it is read
		j.inMem = false
	}
	return err
}

// stretched returns the image, of one frame, at exactly that size, of which one side may be smaller; in linear light if
// that is wanted.
func (i *image) stretched(width, height int, linear bool, stop *C.int) (*image, error) {
	narrow, low := min(width, i.width()), min(height, i.height())
	smaller := func(i *image) (*image, error) {
		switch {
		case narrow == i.width() && low == i.height():
			return i.ref(), nil
		case linear:
			return i.reduceFrames(i.whole(), narrow, low)
		}
		return i.scaled(i.whole(), narrow, low, stop)
	}
	larger := func(i *image) (*image, error) { return i.enlarged(width, height) }
	if linear {
		return i.inLinear(func(i *image) (*image, error) {
			return i.through([]func(*image) (*image, error){smaller, larger})
		})
	}
	return i.through([]func(*image) (*image, error){
		smaller,
		func(i *image) (*image, error) { return i.premultiplied(larger) },
	})
}

// enlarged returns the image, of one frame, at exactly that size, no side of which is smaller.
func (i *image) enlarged(width, height int) (*image, error) {
	var out *C.VipsImage
	code := C.sl_enlarge(i.v, &out, C.int(width), C.int(height))
	return made(out, code)
}

// fewRows is how many times lower a picture becomes at most by weights alone, whose rows are in memory at once. More
// are averaged before.
const fewRows = 4

// reduceFrames returns a part of each of the stacked frames, of floats, at that size, which is no larger.
func (i *image) reduceFrames(part imaging.Part, width, height int) (*image, error) {
	if n := int(part.Height / float64(height) / fewRows); n > 1 && i.pages() == 1 {
		var out *C.VipsImage
		code := C.sl_shrink_rows(i.v, &out, C.int(n))
		low, err := made(out, code)
		if err != nil {
			return nil, err
		}
		defer low.close()
		i, part.Top, part.Height = low, part.Top/float64(n), part.Height/float64(n)
	}
	across, err := pixels.NewWeights(i.width(), part.Left, part.Width, width)
	if err != nil {
		return nil, err
	}
	down, err := pixels.NewWeights(i.pageHeight(), part.Top, part.Height, height)
	if err != nil {
		return nil, err
	}
	var out *C.VipsImage
	code := C.sl_reduce_frames(i.v, &out, weightsOf(across, i.width()), weightsOf(down, i.pageHeight()))
	return made(out, code)
}

// weightsOf returns a copy of the weights of a side that has from samples, for sl_reduce_frames.
func weightsOf(w pixels.Weights, from int) *C.sl_weights {
	return C.sl_weights_new(
		C.int(from), C.int(len(w.Starts)), C.int(w.Taps), (*C.int32_t)(&w.Starts[0]),
		(*C.int16_t)(&w.Values[0]),
	)
}

// resize returns the image, of one frame, at exactly that size. Transparent pixels lend their
// neighbours no colour.
func (i *image) resize(width, height int) (*image, error) {
	return i.premultiplied(func(i *image) (*image, error) { return i.scaleTo(width, height) })
}

func (i *image) scaleTo(width, height int) (*image, error) {
	var out *C.VipsImage
	code := C.sl_resize(i.v, &out, C.int(width), C.int(height))
	return made(out, code)
}

// inLinear returns what f makes of the image, of 8-bit sRGB, in linear light with colors weighed by alpha: fine bright
// detail keeps its brightness.
func (i *image) inLinear(f func(*image) (*image, error)) (*image, error) {
	return i.through([]func(*image) (*image, error){(*image).linear, f, (*image).unlinear})
}

func (i *image) linear() (*image, error) {
	var out *C.VipsImage
	code := C.sl_to_linear(i.v, &out)
	return made(out, code)
}

func (i *image) unlinear() (*image, error) {
	var out *C.VipsImage
	code := C.sl_from_linear(i.v, &out)
	return made(out, code)
}
