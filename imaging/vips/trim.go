package vips

// #include "geometry.h"
import "C"

import (
	"github.com/safelight/safelight/imaging"
)

// stepTrim cuts the border of the source as the trim segment says.
func stepTrim(j *job) error {
	if !j.ops.Trim {
		return nil
	}
	return j.trim(j.ops.TrimBy, j.ops.TrimTolerance)
}

// trim cuts the border that has the colour of that corner of the first frame, on all frames
// the same: as much as all of them allow. A picture that is all border stays as it is.
func (j *job) trim(corner imaging.Corner, tolerance float64) error {
	if err := j.materialise(); err != nil {
		return err
	}
	r, err := j.content(corner, tolerance)
	if err != nil || r.empty() {
		return err
	}
	j.origin.offsetX += float64(r.left)
	j.origin.offsetY += float64(r.top)
	return j.cut(r)
}

// content returns the smallest region that holds what is not border on any frame.
func (j *job) content(corner imaging.Corner, tolerance float64) (all region, err error) {
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
			all = all.union(r)
			return nil, err
		})
		if err != nil {
			return region{}, err
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
func (i *image) content(colour *[4]C.double, tolerance float64) (region, error) {
	var left, top, width, height C.int
	if C.sl_content(i.v, &colour[0], C.double(tolerance), &left, &top, &width, &height) != 0 {
		return region{}, vipsError()
	}
	return region{int(left), int(top), int(width), int(height)}, nil
}

// union returns the smallest region that holds both; an empty one holds nothing.
func (r region) union(o region) region {
	switch {
	case r.empty():
		return o
	case o.empty():
		return r
	}
	left, top := min(r.left, o.left), min(r.top, o.top)
	right, bottom := max(r.left+r.width, o.left+o.width), max(r.top+r.height, o.top+o.height)
	return region{left, top, right - left, bottom - top}
}

// cut keeps that region of every frame.
func (j *job) cut(r region) error {
	if r.left == 0 && r.top == 0 && r.width == j.image.width() && r.height == j.image.pageHeight() {
		return nil
	}
	return j.perFrame(func(i *image) (*image, error) { return i.extract(r.left, r.top, r.width, r.height) })
}
