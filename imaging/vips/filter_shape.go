package vips

// #include "filter.h"
import "C"

import (
	"math"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

func filterCrop(j *job, c imaging.Call) error {
	width, height := j.image.width(), j.image.pageHeight()
	at := func(name string, side int) float64 {
		v := c.Float(name)
		if v > 0 && v < 1 {
			v *= float64(side)
		}
		return v
	}
	left, top := at("left", width), at("top", height)
	r := between(left, top, left+at("width", width), top+at("height", height), width, height)
	if r.empty() {
		if j.limits.Strict {
			return fault.OnField(fault.Invalid, "crop", "filter crop keeps no area of the picture of %dx%d pixels", width, height)
		}
		j.warn("crop", "", "filter crop keeps no area of the picture")
		return nil
	}
	if err := j.materialise(); err != nil {
		return err
	}
	return j.cut(r)
}

func filterPadding(j *job, c imaging.Call) error {
	left, top := c.Int("left"), c.Int("top")
	width, height := j.image.width()+left+c.Int("right"), j.image.pageHeight()+top+c.Int("bottom")
	if err := j.checkSize(width, height); err != nil {
		return err
	}
	colour, err := j.paint(c.Arg("colour").Colour)
	if err != nil {
		return err
	}
	return j.perFrame(func(i *image) (*image, error) { return i.mount(left, top, width, height, colour) })
}

func filterRotate(j *job, c imaging.Call) error {
	degrees := c.Int("degrees")
	if degrees%180 != 0 {
		j.box = box{j.box.height, j.box.width}
	}
	return j.turn(degrees)
}

func filterProportion(j *job, c imaging.Call) error {
	scale := c.Float("percent") / 100
	if scale <= 0 || scale >= 1 {
		return nil
	}
	side := func(n int) int { return max(int(math.Round(float64(n)*scale)), 1) }
	if j.box.width > 0 {
		j.box.width = side(j.box.width)
	}
	if j.box.height > 0 {
		j.box.height = side(j.box.height)
	}
	return j.resize(side(j.image.width()), side(j.image.pageHeight()))
}

func filterTrim(j *job, c imaging.Call) error {
	return j.trim(imaging.Corner(c.Text("corner")), c.Float("tolerance"))
}

func filterRoundCorner(j *job, c imaging.Call) error {
	width, height := j.image.width(), j.image.pageHeight()
	rx, ry := min(c.Float("rx"), float64(width)/2), min(c.Float("ry"), float64(height)/2)
	if rx <= 0 || ry <= 0 {
		return nil
	}
	colour, err := j.paint(c.Arg("colour").Colour)
	if err != nil {
		return err
	}
	if err := j.materialise(); err != nil {
		return err
	}
	mask := roundMask(width, height, rx, ry)
	return j.perFrame(func(i *image) (*image, error) {
		var out *C.VipsImage
		code := C.sl_mask(i.v, &out, &mask[0])
		round, err := made(out, code)
		if err != nil || colour.A == 0 {
			return round, err
		}
		defer round.close()
		return round.mount(0, 0, width, height, colour)
	})
}

// roundMask returns how much of each pixel lies inside a rectangle with elliptic corners, 0..255, from 4 x 4
// samples a pixel.
func roundMask(width, height int, rx, ry float64) []C.uchar {
	mask := make([]C.uchar, width*height)
	for n := range mask {
		mask[n] = 255
	}
	columns, rows := min(int(math.Ceil(rx)), width), min(int(math.Ceil(ry)), height)
	for y := range rows {
		for x := range columns {
			v := C.uchar(math.Round(255 * coverage(x, y, rx, ry)))
			for _, at := range []int{y*width + x, y*width + width - 1 - x, (height-1-y)*width + x, (height-1-y)*width + width - 1 - x} {
				mask[at] = v
			}
		}
	}
	return mask
}

// coverage is the part of a pixel of the top left corner that is inside the ellipse.
func coverage(x, y int, rx, ry float64) float64 {
	const samples = 4
	inside := 0
	for sy := range samples {
		for sx := range samples {
			dx := max(0, rx-(float64(x)+(float64(sx)+0.5)/samples)) / rx
			dy := max(0, ry-(float64(y)+(float64(sy)+0.5)/samples)) / ry
			if dx*dx+dy*dy <= 1 {
				inside++
			}
		}
	}
	return float64(inside) / (samples * samples)
}
