package vips

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// region is an area of an image in whole pixels.
type region struct{ left, top, width, height int }

// empty says whether the region has no area.
func (r region) empty() bool { return r.width < 1 || r.height < 1 }

// cropRegion returns the part of a picture of that size that the crop segment keeps. ok is
// false when there is no crop segment; the region is empty when the segment names no area.
func cropRegion(ops imaging.Operations, width, height int) (r region, ok bool) {
	left, top, right, bottom := ops.CropLeft, ops.CropTop, ops.CropRight, ops.CropBottom
	if left == 0 && top == 0 && right == 0 && bottom == 0 {
		return region{}, false
	}
	if left < 1 && top < 1 && right <= 1 && bottom <= 1 {
		left, right = left*float64(width), right*float64(width)
		top, bottom = top*float64(height), bottom*float64(height)
	}
	if right == 0 {
		right = float64(width)
	}
	if bottom == 0 {
		bottom = float64(height)
	}
	return between(left, top, right, bottom, width, height), true
}

// between rounds a region's edges to whole pixels inside a picture of that size.
func between(left, top, right, bottom float64, width, height int) region {
	clamp := func(v float64, side int) int { return int(math.Round(min(max(v, 0), float64(side)))) }
	l, t := clamp(left, width), clamp(top, height)
	return region{l, t, clamp(right, width) - l, clamp(bottom, height) - t}
}

// scaledTo returns the region in a picture that is scaled from one size to another; it keeps at
// least one pixel.
func (r region) scaledTo(o origin, width, height int) region {
	s := between(float64(r.left)*o.scaleX, float64(r.top)*o.scaleY,
		float64(r.left+r.width)*o.scaleX, float64(r.top+r.height)*o.scaleY, width, height)
	s.left, s.top = min(s.left, width-1), min(s.top, height-1)
	s.width, s.height = max(s.width, 1), max(s.height, 1)
	return s
}
