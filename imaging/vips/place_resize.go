package vips

// #include "place.h"
// #include "place_reduce.h"
// #include "image.h"
import "C"

import (
	"errors"

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
	linear := j.plan.Request.Limits.Linear
	if width == j.image.width() && height == j.image.pageHeight() { // nothing to do, or done while it was decoded
		return nil
	}
	if part.EnlargedTo(imaging.Size{Width: width, Height: height}) {
		return j.perFrame(func(i *image) (*image, error) {
			return i.weighed(linear, func(i *image) (*image, error) { return i.enlarged(width, height) })
		})
	}
	preview := has(j.plan.Calls, "preview") // it finds the picture in memory the next time, and must not look different
	if preview {
		if err := j.materialise(); err != nil {
			return err
		}
	}
	if (preview || j.whole) && !linear {
		if out := j.image.reduced(part, width, height, j.stop); out != nil {
			j.replace(out)
			return nil
		}
	}
	if err := j.apply(func(i *image) (*image, error) {
		return i.weighed(linear, func(i *image) (*image, error) { return i.reduceFrames(part, width, height) })
	}); err != nil {
		return err
	}
	if j.image.pages() > 1 {
		j.inMem = false
	}
	return nil
}

// weighed returns what f makes of the image with its colors weighed by alpha; in linear light, too, if that is wanted
// and the image has colors.
func (i *image) weighed(linear bool, f func(*image) (*image, error)) (*image, error) {
	if linear && i.bands() >= 3 {
		return i.inLinear(f)
	}
	return i.premultiplied(f)
}

// enlarged returns the image, of one frame, at exactly that size, of which one side may be smaller.
func (i *image) enlarged(width, height int) (*image, error) {
	narrow, low := min(width, i.width()), min(height, i.height())
	if narrow < i.width() || low < i.height() {
		reduced, err := i.reduceFrames(i.whole(), narrow, low)
		if err != nil {
			return nil, err
		}
		defer reduced.close()
		i = reduced
	}
	var out *C.VipsImage
	code := C.sl_enlarge(i.v, &out, C.int(width), C.int(height))
	return made(out, code)
}

var errNoWeights = errors.New("not enough memory for the weights of a picture")

// fewRows is how many times lower a picture becomes at most by weights alone, whose rows are in memory at once. More
// are averaged before.
const fewRows = 4

// reduceFrames returns a part of each of the stacked frames at that size, which is no larger.
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
	across, enough := pixels.NewWeights(i.width(), part.Left, part.Width, width)
	down, ok := pixels.NewWeights(i.pageHeight(), part.Top, part.Height, height)
	if !enough || !ok {
		return nil, errNoWeights
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
