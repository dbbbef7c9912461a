package vips

// #include "sl_filter.h"
// #include "sl_image.h"
// #include "sl_transform.h"
import "C"

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// white is the background of transparent pixels if the result has no alpha.
var white = imaging.Colour{R: 255, G: 255, B: 255, A: 255}

// paint returns the colour of c for the job's picture: auto is the picture's average; none and any other word are
// transparent.
func (j *job) paint(c imaging.Colour) (imaging.Colour, error) {
	if c.Word == "" {
		return c, nil
	}
	if c.Word != "auto" {
		return imaging.Colour{}, nil
	}
	if err := j.materialise(); err != nil {
		return c, err
	}
	rgb, err := averageColour(j.image)
	if err != nil {
		return c, j.failed(err)
	}
	return imaging.Colour{R: rgb.R, G: rgb.G, B: rgb.B, A: 255}, nil
}

// bandsOf returns the colour as n bands, 3 or 4.
func bandsOf(c imaging.Colour, n int) []C.double {
	return []C.double{C.double(c.R), C.double(c.G), C.double(c.B), C.double(c.A)}[:n]
}

// solid returns a canvas of one colour, with alpha unless the colour is opaque.
func solid(width, height int, c imaging.Colour) (*image, error) {
	n := 4
	if c.A == 255 {
		n = 3
	}
	var out *C.VipsImage
	return made(&out, C.sl_solid(&out, C.int(width), C.int(height), &bandsOf(c, n)[0], C.int(n)))
}

// flatten composites the picture over the colour. It ignores the colour's alpha.
func (j *job) flatten(c imaging.Colour) error {
	if !j.image.hasAlpha() {
		return nil
	}
	return j.apply(func(i *image) (*image, error) { return i.flatten(c) })
}

func (i *image) flatten(c imaging.Colour) (*image, error) {
	if !i.hasAlpha() {
		return i.ref(), nil
	}
	var out *C.VipsImage
	return made(&out, C.sl_flatten(i.v, &out, C.double(c.R), C.double(c.G), C.double(c.B)))
}

// withAlpha returns the image with an alpha band, which is opaque if it had none.
func (i *image) withAlpha() (*image, error) {
	if i.hasAlpha() {
		return i.ref(), nil
	}
	var out *C.VipsImage
	return made(&out, C.sl_add_alpha(i.v, &out))
}

// embed returns the image on a larger canvas of the given colour.
func (i *image) embed(left, top, width, height int, c imaging.Colour) (*image, error) {
	var out *C.VipsImage
	bands := bandsOf(c, i.bands())
	return made(&out, C.sl_embed(i.v, &out, C.int(left), C.int(top), C.int(width), C.int(height), &bands[0]))
}

// over returns base with the image composited over it at left, top.
func (i *image) over(base *image, left, top int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_composite_over(base.v, i.v, &out, C.int(left), C.int(top)))
}

// mount returns the image on a canvas of the given colour, which also shows through transparent parts of the image.
// The result has alpha unless it is opaque everywhere.
func (i *image) mount(left, top, width, height int, c imaging.Colour) (*image, error) {
	switch {
	case c.A == 255:
		flat, err := i.flatten(c)
		if err != nil {
			return nil, err
		}
		defer flat.close()
		return flat.embed(left, top, width, height, c)
	case c.A == 0:
		clear, err := i.withAlpha()
		if err != nil {
			return nil, err
		}
		defer clear.close()
		return clear.embed(left, top, width, height, c)
	}
	base, err := solid(width, height, c)
	if err != nil {
		return nil, err
	}
	defer base.close()
	return i.over(base, left, top)
}

// filterFill paints the part of the box that the picture does not cover, the padding around it, and transparent
// pixels.
func filterFill(j *job, s imaging.Step) error {
	if s.Call.Arg("color").Colour.Word == "blur" {
		return j.perFrame(func(i *image) (*image, error) {
			return i.overBlurred(s.Rect.Left, s.Rect.Top, s.After.Width, s.After.Height, j.stop)
		})
	}
	return filterPadding(j, s)
}

// overBlurred returns the image on a canvas that shows itself, stretched and blurred.
func (i *image) overBlurred(left, top, width, height int, stop *C.int) (*image, error) {
	memory, err := i.copyMemory() // it is read twice
	if err != nil {
		return nil, err
	}
	defer memory.close()
	base, err := memory.through([]func(*image) (*image, error){
		// A blur of this width looks the same if it is computed at an eighth of the size.
		func(i *image) (*image, error) { return i.resize(max(width/8, 1), max(height/8, 1)) },
		func(i *image) (*image, error) { return i.blur(50.0 / 8) },
		func(i *image) (*image, error) { return i.stretched(width, height, false, stop) },
		func(i *image) (*image, error) { return i.flatten(white) },
	})
	if err != nil {
		return nil, err
	}
	defer base.close()
	if !memory.hasAlpha() {
		return memory.inserted(base, left, top)
	}
	return memory.over(base, left, top)
}

// blur returns the image blurred by a Gaussian with sigma in pixels.
func (i *image) blur(sigma float64) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_blur(i.v, &out, C.double(sigma)))
}

// inserted returns base with the image inserted at left, top. Both have the same number of bands.
func (i *image) inserted(base *image, left, top int) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_insert(base.v, i.v, &out, C.int(left), C.int(top)))
}

// averageColour returns the mean of the first frame in sRGB; transparent pixels count as lying
// over black.
func averageColour(i *image) (imaging.RGB, error) {
	first, err := i.frame(0)
	if err != nil {
		return imaging.RGB{}, err
	}
	defer first.close()
	flat, err := first.flatten(imaging.Colour{A: 255})
	if err != nil {
		return imaging.RGB{}, err
	}
	defer flat.close()
	var means [4]C.double
	if C.sl_means(flat.v, &means[0]) != 0 {
		return imaging.RGB{}, vipsError()
	}
	if flat.bands() < 3 { // grey
		means[1], means[2] = means[0], means[0]
	}
	byteOf := func(v C.double) uint8 { return uint8(math.Round(min(max(float64(v), 0), 255))) }
	return imaging.RGB{R: byteOf(means[0]), G: byteOf(means[1]), B: byteOf(means[2])}, nil
}
