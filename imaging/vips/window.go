package vips

// #include "geometry.h"
import "C"

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// window chooses which part of the scaled picture the crop keeps: around the focal regions,
// what draws attention, or by the alignments, the first of these that is asked for.
func (j *job) window(plan layout) (region, error) {
	r := region{width: plan.windowWidth, height: plan.windowHeight}
	if x, y, ok := j.focus(); ok {
		r.left = around(x, r.width, plan.width)
		r.top = around(y, r.height, plan.height)
		return r, nil
	}
	if j.ops.Smart && !j.dry {
		return j.attention(r)
	}
	r.left, r.top = alignment(j.ops, plan.width-r.width, plan.height-r.height)
	return r, nil
}

// alignment returns left and top of a window that leaves that much space.
func alignment(ops imaging.Operations, spaceX, spaceY int) (left, top int) {
	left, top = spaceX/2, spaceY/2
	switch ops.HAlign {
	case imaging.HAlignLeft:
		left = 0
	case imaging.HAlignRight:
		left = spaceX
	}
	switch ops.VAlign {
	case imaging.VAlignTop:
		top = 0
	case imaging.VAlignBottom:
		top = spaceY
	}
	return left, top
}

// around returns where a window of that width has the point in its middle, inside side.
func around(point float64, width, side int) int {
	return min(max(int(math.Round(point-float64(width)/2)), 0), side-width)
}

// focus returns the middle, in the image's pixels, of the box around all focal regions.
func (j *job) focus() (x, y float64, ok bool) {
	left, top := math.Inf(1), math.Inf(1)
	right, bottom := math.Inf(-1), math.Inf(-1)
	for _, c := range j.calls {
		if c.Name != "focal" {
			continue
		}
		ok = true
		r := c.Arg("region").Region
		sideX, sideY := 1.0, 1.0
		if r.Fraction {
			sideX, sideY = float64(j.origin.width), float64(j.origin.height)
		}
		left, right = min(left, j.origin.x(r.Left*sideX)), max(right, j.origin.x(r.Right*sideX))
		top, bottom = min(top, j.origin.y(r.Top*sideY)), max(bottom, j.origin.y(r.Bottom*sideY))
	}
	return (left + right) / 2, (top + bottom) / 2, ok
}

// attention moves the window to what draws the eye on the first frame; the others follow it.
func (j *job) attention(r region) (region, error) {
	if err := j.materialise(); err != nil {
		return r, err
	}
	lazy, err := j.image.frame(0)
	if err != nil {
		return r, j.failed(err)
	}
	defer lazy.close()
	frame, err := lazy.copyMemory()
	if err != nil {
		return r, j.failed(err)
	}
	defer frame.close()
	var left, top C.int
	if C.sl_attention(frame.v, C.int(r.width), C.int(r.height), &left, &top) != 0 {
		return r, j.failed(vipsError())
	}
	r.left, r.top = int(left), int(top)
	return r, nil
}
