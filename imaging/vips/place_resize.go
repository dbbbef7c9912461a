package vips

// #include "place_frames.h"
// #include "place.h"
// #include "image.h"
import "C"

// resize scales every frame to exactly that size.
func (j *job) resize(width, height int) error {
	oldWidth, oldHeight, linear := j.image.width(), j.image.pageHeight(), j.plan.Request.Limits.Linear
	if width == oldWidth && height == oldHeight {
		return nil
	}
	if j.image.pages() > 1 && width <= oldWidth && height <= oldHeight && !linear && j.image.format() == C.SL_FORMAT_UCHAR {
		if err := j.apply(func(i *image) (*image, error) { return i.reduceFrames(width, height) }); err != nil {
			return err
		}
		j.inMem = false
		return nil
	}
	preview := has(j.plan.Calls, "preview") // it finds the picture in memory the next time, and must not look different
	if preview {
		if err := j.materialise(); err != nil {
			return err
		}
	}
	if (preview || j.whole) && !linear {
		if out := j.image.reduced(width, height, j.stop); out != nil {
			j.replace(out)
			return nil
		}
	}
	return j.perFrame(func(i *image) (*image, error) {
		if linear && i.bands() >= 3 {
			return i.resizeLinear(width, height)
		}
		return i.resize(width, height)
	})
}

// reduceFrames returns the stacked frames, each at that size, which is no larger than theirs.
func (i *image) reduceFrames(width, height int) (*image, error) {
	return i.premultiplied(func(i *image) (*image, error) {
		var out *C.VipsImage
		code := C.sl_reduce_frames(i.v, &out, C.int(i.pageHeight()), C.int(height), C.int(width))
		return made(out, code)
	})
}

// resize returns the image, of one frame, at exactly that size. Transparent pixels lend their
// neighbours no colour.
func (i *image) resize(width, height int) (*image, error) {
	if !i.hasAlpha() {
		return i.scaleTo(width, height)
	}
	var out *C.VipsImage
	code := C.sl_premultiply(i.v, &out)
	premultiplied, err := made(out, code)
	if err != nil {
		return nil, err
	}
	defer premultiplied.close()
	resized, err := premultiplied.scaleTo(width, height)
	if err != nil {
		return nil, err
	}
	defer resized.close()
	code = C.sl_unpremultiply(resized.v, &out)
	return made(out, code)
}

// resizeLinear is resize in linear light, for 8-bit sRGB: fine bright detail keeps its brightness.
func (i *image) resizeLinear(width, height int) (*image, error) {
	var out *C.VipsImage
	code := C.sl_resize_linear(i.v, &out, C.int(width), C.int(height))
	return made(out, code)
}

func (i *image) scaleTo(width, height int) (*image, error) {
	var out *C.VipsImage
	code := C.sl_resize(i.v, &out, C.int(width), C.int(height))
	return made(out, code)
}
