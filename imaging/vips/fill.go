package vips

// #include "geometry.h"
import "C"

import "github.com/safelight/safelight/imaging"

// filterFill paints the area that the box has and the picture does not, the padding around it,
// and what is transparent.
func filterFill(j *job, c imaging.Call) error {
	inner := box{max(j.box.width, j.image.width()), max(j.box.height, j.image.pageHeight())}
	left, top := alignment(j.ops, inner.width-j.image.width(), inner.height-j.image.pageHeight())
	left, top = left+j.ops.PaddingLeft, top+j.ops.PaddingTop
	width := inner.width + j.ops.PaddingLeft + j.ops.PaddingRight
	height := inner.height + j.ops.PaddingTop + j.ops.PaddingBottom
	if err := j.checkSize(width, height); err != nil {
		return err
	}
	if c.Arg("colour").Colour.Word == "blur" && !j.dry {
		return j.perFrame(func(i *image) (*image, error) { return i.overBlurred(left, top, width, height) })
	}
	colour, err := j.paint(c.Arg("colour").Colour)
	if err != nil {
		return err
	}
	return j.perFrame(func(i *image) (*image, error) { return i.mount(left, top, width, height, colour) })
}

// overBlurred returns the image on a canvas that shows itself, stretched and blurred.
func (i *image) overBlurred(left, top, width, height int) (*image, error) {
	memory, err := i.copyMemory() // it is read twice
	if err != nil {
		return nil, err
	}
	defer memory.close()
	// A blur of this width looks the same when it is made at an eighth of the size.
	small, err := memory.resize(max(width/8, 1), max(height/8, 1))
	if err != nil {
		return nil, err
	}
	defer small.close()
	soft, err := small.blur(50.0 / 8)
	if err != nil {
		return nil, err
	}
	defer soft.close()
	base, err := soft.resize(width, height)
	if err != nil {
		return nil, err
	}
	defer base.close()
	flat, err := base.flatten(white)
	if err != nil {
		return nil, err
	}
	defer flat.close()
	if !memory.hasAlpha() {
		return memory.inserted(flat, left, top)
	}
	return memory.over(flat, left, top)
}

// blur returns the image under a Gaussian of that sigma, in pixels.
func (i *image) blur(sigma float64) (*image, error) {
	var out *C.VipsImage
	code := C.sl_blur(i.v, &out, C.double(sigma))
	return made(out, code)
}

// inserted returns base with the image, which has as many bands, at left, top.
func (i *image) inserted(base *image, left, top int) (*image, error) {
	var out *C.VipsImage
	code := C.sl_insert(base.v, i.v, &out, C.int(left), C.int(top))
	return made(out, code)
}
