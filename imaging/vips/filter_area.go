package vips

// #include "sl_filter.h"
// #include "sl_image.h"
import "C"

import (
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
)

// premultiplied applies f to the image with premultiplied colours, and unpremultiplies the result, because transparent
// pixels must not add colour to their neighbours.
func (i *image) premultiplied(f func(*image) (*image, error)) (*image, error) {
	if !i.hasAlpha() {
		return f(i)
	}
	return i.through([]func(*image) (*image, error){(*image).weighByAlpha, f, (*image).unweighByAlpha})
}

func (i *image) weighByAlpha() (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_premultiply(i.v, &out))
}

func (i *image) unweighByAlpha() (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_unpremultiply(i.v, &out))
}

func filterBlur(j *job, s imaging.Step) error {
	sigma := s.Call.Float("sigma")
	return j.perFrame(func(i *image) (*image, error) {
		return i.premultiplied(func(i *image) (*image, error) { return i.softened(sigma, j.stop) })
	})
}

// softened is blur for any sigma: a wide Gaussian looks the same if it is computed at a fraction of the size, and
// costs a fraction. It ends once stop is not 0.
func (i *image) softened(sigma float64, stop *C.int) (*image, error) {
	width, height := i.width(), i.height()
	shrink := cost.BlurShrink(sigma, imaging.Size{Width: width, Height: height})
	if shrink == 1 {
		return i.blur(min(sigma, float64(max(width, height))))
	}
	small, err := i.through([]func(*image) (*image, error){
		func(i *image) (*image, error) { return i.stoppable(stop) },
		func(i *image) (*image, error) { return i.scaleTo(max(width/shrink, 1), max(height/shrink, 1)) },
		func(i *image) (*image, error) { return i.blur(sigma / float64(shrink)) },
		(*image).copyMemory, // otherwise each tile of the result would compute its surroundings again
	})
	if err != nil {
		return nil, err
	}
	defer small.close()
	return small.enlarged(width, height)
}

func filterSharpen(j *job, s imaging.Step) error {
	sigma := s.Call.Float("sigma")
	// vips_sharpen accepts a sigma of at most 10.
	sigma = min(1+2*sigma, 10)
	if j.image.hasAlpha() { // colours and alpha are read separately
		if err := j.materialise(); err != nil {
			return err
		}
	}
	return j.perFrame(func(i *image) (*image, error) {
		var out *C.VipsImage
		return made(&out, C.sl_sharpen(i.v, &out, C.double(sigma)))
	})
}

func filterPixelate(j *job, s imaging.Step) error {
	block := min(s.Call.Int("block"), max(j.image.width(), j.image.pageHeight()))
	if err := j.materialise(); err != nil {
		return err
	}
	return j.perFrame(func(i *image) (*image, error) {
		return i.premultiplied(func(i *image) (*image, error) {
			var out *C.VipsImage
			return made(&out, C.sl_pixelate(i.v, &out, C.int(block)))
		})
	})
}
