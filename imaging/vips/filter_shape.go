package vips

// #include "sl_filter.h"
import "C"

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// filterCut keeps the part that the plan selects, for crop() and trim().
func filterCut(j *job, s imaging.Step) error {
	if err := j.materialise(); err != nil {
		return err
	}
	return j.cut(s.Rect)
}

// filterPadding mounts the picture on a larger canvas.
func filterPadding(j *job, s imaging.Step) error {
	colour, err := j.paint(s.Call.Arg("color").Colour)
	if err != nil {
		return err
	}
	return j.perFrame(func(i *image) (*image, error) {
		return i.mount(s.Rect.Left, s.Rect.Top, s.After.Width, s.After.Height, colour)
	})
}

func filterRotate(j *job, s imaging.Step) error { return j.turn(clockwise(s.Call.Int("degrees"))) }

func filterProportion(j *job, s imaging.Step) error { return j.resize(s.After.Width, s.After.Height) }

func filterRoundCorner(j *job, s imaging.Step) error {
	colour, err := j.paint(s.Call.Arg("color").Colour)
	if err != nil {
		return err
	}
	if err := j.materialise(); err != nil {
		return err
	}
	width, height := s.Before.Width, s.Before.Height
	mask := roundMask(width, height, s.Radii[0], s.Radii[1])
	return j.perFrame(func(i *image) (*image, error) {
		round, err := i.masked(mask)
		if err != nil || colour.A == 0 {
			return round, err
		}
		defer round.close()
		return round.mount(0, 0, width, height, colour)
	})
}

// masked returns the image with its alpha multiplied by a mask of its size.
func (i *image) masked(mask []C.uchar) (*image, error) {
	var out *C.VipsImage
	return made(&out, C.sl_mask(i.v, &out, &mask[0]))
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
			for _, at := range []int{y*width + x, y*width + width - 1 - x, (height-1-y)*width + x,
				(height-1-y)*width + width - 1 - x} {
				mask[at] = v
			}
		}
	}
	return mask
}

// coverage returns the fraction of a pixel of the top left corner that is inside the ellipse.
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
