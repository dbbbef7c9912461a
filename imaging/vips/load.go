package vips

// #include "image.h"
import "C"

import (
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// headRoom is how much larger than its target a JPEG is decoded at least: below it, the box filter of the
// decoder shows. At 1.5 the pixel error is a quarter of that without head-room, at the exact halves of a
// decoding scale a twentieth, and 3:2 is a common ratio (docs/decisions/0007).
const headRoom = 1.49

// webpRoom is the same for WebP, whose scaler is worse.
const webpRoom = 2.0

// Bounds of what libvips' loaders take for a vector's scale.
const (
	leastScale = 0.001
	mostScale  = 100_000
)

// stepLoad makes the job's image from its source: the frames that the result needs, no larger
// than the layout needs.
func stepLoad(j *job) error {
	first, frames := j.chooseFrames()
	j.frames = frames
	l := loaders[j.format]
	scale := j.loadScale()
	width, height := j.header.width, j.header.height
	if l.vector {
		width, height = scaled(width, scale), scaled(height, scale)
	}
	decoded := frames
	if l.frames {
		decoded += first // the decoder goes through the frames before
	}
	if err := j.checkSource(width, height, decoded); err != nil {
		return err
	}
	if j.dry {
		frames = 1
	}
	loaded := scale
	if j.shrinksAfter() {
		loaded = 1
	}
	img, err := j.load(j.loadOptions(loaded, first, frames))
	if err == nil && loaded != scale && (!img.hasAlpha() || img.format() == C.VIPS_FORMAT_UCHAR) {
		full := img
		img, err = full.boxed(shrinkOf(scale))
		full.close()
	}
	if err != nil {
		return j.failed(err)
	}
	j.replace(img)
	// A vector may have been drawn at another size than it was asked for.
	if err := j.checkSource(img.width(), img.pageHeight(), frames); err != nil {
		return err
	}
	if n := j.limits.Threads; n > 1 {
		if err := j.apply(func(i *image) (*image, error) { return i.withThreads(n) }); err != nil {
			return err
		}
	}
	return j.keepFrames(first, frames)
}

// chooseFrames returns the first page or frame to load, from 0, and how many.
func (j *job) chooseFrames() (first, n int) {
	l := loaders[j.format]
	if c, ok := j.lastCall("page"); ok && l.pages {
		return min(c.Int("n"), j.header.pages) - 1, 1
	}
	if !l.frames || !j.target.CanAnimate() {
		return 0, 1
	}
	n = j.header.pages
	if c, ok := j.lastCall("max_frames"); ok {
		n = min(n, c.Int("n"))
	}
	return 0, n
}

// keepFrames makes the header say what was loaded: libvips leaves the file's total there.
func (j *job) keepFrames(first, n int) error {
	height := j.image.pageHeight()
	if n == 1 {
		height = 0
	}
	delays := j.image.integers("delay")
	if err := j.apply(func(i *image) (*image, error) { return i.withFrames(height) }); err != nil {
		return err
	}
	if n > 1 && len(delays) >= first+n {
		return j.apply(func(i *image) (*image, error) { return i.withIntegers("delay", delays[first:first+n]) })
	}
	return nil
}

// loadScale returns the factor from the header's size to the size to decode at: smaller where
// the format can and the layout allows, for vectors whatever the layout says.
func (j *job) loadScale() float64 {
	if j.ops.Trim { // a trim looks at the source's own pixels
		return 1
	}
	width, height := j.orientedSides()
	if r, ok := cropRegion(j.ops, width, height); ok && !r.empty() {
		width, height = r.width, r.height
	}
	plan := layoutOf(width, height, j.ops, j.growth())
	factor := max(float64(plan.width)/float64(width), float64(plan.height)/float64(height))
	l := loaders[j.format]
	switch {
	case l.vector:
		return min(max(factor, leastScale), mostScale)
	case l.shrinks || j.shrinksAfter():
		for _, shrink := range []float64{8, 4, 2} {
			if factor*shrink*headRoom <= 1 {
				return 1 / shrink
			}
		}
	case l.scales && j.header.pages == 1 && factor*webpRoom <= 0.9:
		return factor * webpRoom
	}
	return 1
}

// orientedSides returns the source's sides after EXIF and orient().
func (j *job) orientedSides() (width, height int) {
	width, height = j.header.sides()
	if c, ok := j.lastCall("orient"); ok && c.Int("degrees")%180 != 0 {
		return height, width
	}
	return width, height
}

// growth returns what the last of upscale() and no_upscale() says.
func (j *job) growth() growth {
	g := growDefault
	for _, c := range j.calls {
		switch c.Name {
		case "upscale":
			g = growAlways
		case "no_upscale":
			g = growNever
		}
	}
	return g
}

// stepCanvas makes the job's image a solid colour instead of loading one.
func stepCanvas(j *job, colour imaging.Colour) error {
	width, height := max(j.ops.Width, 1), max(j.ops.Height, 1)
	if err := j.checkSize(width, height); err != nil {
		return err
	}
	j.header = header{width: width, height: height, pages: 1, orientation: 1, bands: 3}
	j.frames = 1
	if colour.Word != "" && colour.Word != "none" {
		return fault.New(fault.Invalid, "A canvas cannot be of the colour %s", colour.Word)
	}
	if colour.Word == "none" {
		colour = imaging.Colour{}
	}
	img, err := solid(width, height, colour)
	if err != nil {
		return j.failed(err)
	}
	j.header.bands = img.bands()
	j.replace(img)
	return nil
}
