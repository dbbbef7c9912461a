package vips

import "github.com/safelight/safelight/fault"

// stepCrop keeps the region of the oriented source that the crop segment names.
func stepCrop(j *job) error {
	// The segment counts in the source's pixels; what a trim left is its new source.
	width := scaled(j.image.width(), 1/j.origin.scaleX)
	height := scaled(j.image.pageHeight(), 1/j.origin.scaleY)
	r, ok := cropRegion(j.ops, width, height)
	if !ok {
		return nil
	}
	if r.empty() {
		message := "the crop region has no area within the picture"
		if j.limits.Strict {
			return fault.OnField(fault.Invalid, "crop", "The crop region has no area within the picture of %dx%d pixels", width, height)
		}
		j.warn("", "crop", message)
		return nil
	}
	r = r.scaledTo(j.origin, j.image.width(), j.image.pageHeight())
	j.origin.offsetX += float64(r.left)
	j.origin.offsetY += float64(r.top)
	return j.cut(r)
}
