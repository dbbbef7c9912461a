package vips

// #include "place.h"
import "C"

import (
	"github.com/safelight/safelight/imaging"
)

// measure finds the border that has the colour of that corner of the first frame, as much as all frames allow, and
// plans on with what is left.
func (j *job) measure(corner imaging.Corner, tolerance float64) error {
	if err := j.materialise(); err != nil {
		return err
	}
	r, err := j.content(corner, tolerance)
	if err != nil {
		return err
	}
	return j.replan(j.plan.WithTrim(r))
}

// content returns the smallest region that holds what is not border on any frame.
func (j *job) content(corner imaging.Corner, tolerance float64) (all imaging.Rect, err error) {
	var colour [4]C.double
	for n := range j.image.pages() {
		_, err := j.oneFrame(n, func(i *image) (*image, error) {
			memory := j.image // which materialise left there
			if j.image.pages() > 1 {
				var err error
				if memory, err = i.copyMemory(); err != nil {
					return nil, err
				}
				defer memory.close()
			}
			if n == 0 {
				if err := memory.cornerColour(corner, &colour); err != nil {
					return nil, err
				}
			}
			r, err := memory.content(&colour, tolerance)
			all = all.Union(r)
			return nil, err
		})
		if err != nil {
			return imaging.Rect{}, err
		}
	}
	return all, nil
}

// cornerColour reads the pixel of that corner. The image is in memory.
func (i *image) cornerColour(corner imaging.Corner, colour *[4]C.double) error {
	var x, y C.int
	if corner == imaging.CornerBottomRight {
		x, y = C.int(i.width()-1), C.int(i.height()-1)
	}
	if C.sl_pixel(i.v, x, y, &colour[0]) != 0 {
		return vipsError()
	}
	return nil
}

// content returns the region of the image that differs from the colour. The image is in memory.
func (i *image) content(colour *[4]C.double, tolerance float64) (imaging.Rect, error) {
	var left, top, width, height C.int
	if C.sl_content(i.v, &colour[0], C.double(tolerance), &left, &top, &width, &height) != 0 {
		return imaging.Rect{}, vipsError()
	}
	return imaging.Rect{Left: int(left), Top: int(top), Width: int(width), Height: int(height)}, nil
}
