package vips

// #include "sl_transform.h"
// #include "sl_image.h"
import "C"

import "github.com/safelight/safelight/imaging"

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
		return i.scaled(partOf(part, linear), width, height, j.stop)
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
		if narrow == i.width() && low == i.height() {
			return i.ref(), nil
		}
		return i.scaled(partOf(i.whole(), linear), narrow, low, stop)
	}
	return i.through([]func(*image) (*image, error){
		smaller,
		func(i *image) (*image, error) {
			in := i.premultiplied
			if linear {
				in = i.inLinear
			}
			return in(func(i *image) (*image, error) { return i.enlarged(width, height) })
		},
	})
}

// enlarged returns the image, of one frame, at exactly that size, no side of which is smaller.
func (i *image) enlarged(width, height int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_enlarge(i.v, &out, C.int(width), C.int(height)))
}

// resize returns the image, of one frame, at exactly that size. Transparent pixels lend their
// neighbours no colour.
func (i *image) resize(width, height int) (*image, error) {
	return i.premultiplied(func(i *image) (*image, error) { return i.scaleTo(width, height) })
}

func (i *image) scaleTo(width, height int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_resize(i.v, &out, C.int(width), C.int(height)))
}

// inLinear returns what f makes of the image, of 8-bit sRGB, in linear light with colors weighed by alpha: fine bright
// detail keeps its brightness.
func (i *image) inLinear(f func(*image) (*image, error)) (*image, error) {
	return i.through([]func(*image) (*image, error){(*image).linear, f, (*image).unlinear})
}

func (i *image) linear() (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_to_linear(i.v, &out))
}

func (i *image) unlinear() (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_from_linear(i.v, &out))
}
