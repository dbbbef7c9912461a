package vips

// #include "layer.h"
import "C"

import "github.com/safelight/safelight/imaging"

// blendModes maps the words of the filter table to libvips' modes, whose formulas are those of the W3C's
// Compositing and Blending Level 1; the masks keep the parent where the layer is, or where it is not.
var blendModes = map[string]C.VipsBlendMode{
	"normal":      C.VIPS_BLEND_MODE_OVER,
	"multiply":    C.VIPS_BLEND_MODE_MULTIPLY,
	"screen":      C.VIPS_BLEND_MODE_SCREEN,
	"overlay":     C.VIPS_BLEND_MODE_OVERLAY,
	"darken":      C.VIPS_BLEND_MODE_DARKEN,
	"lighten":     C.VIPS_BLEND_MODE_LIGHTEN,
	"color-dodge": C.VIPS_BLEND_MODE_COLOUR_DODGE,
	"color-burn":  C.VIPS_BLEND_MODE_COLOUR_BURN,
	"hard-light":  C.VIPS_BLEND_MODE_HARD_LIGHT,
	"soft-light":  C.VIPS_BLEND_MODE_SOFT_LIGHT,
	"difference":  C.VIPS_BLEND_MODE_DIFFERENCE,
	"exclusion":   C.VIPS_BLEND_MODE_EXCLUSION,
	"add":         C.VIPS_BLEND_MODE_ADD,
	"mask":        C.VIPS_BLEND_MODE_DEST_IN,
	"mask-out":    C.VIPS_BLEND_MODE_DEST_OUT,
}

// lay draws the layer over the job's picture, as the call's x, y, alpha and blend say. The layer's pixels
// are in memory. A layer that moves plays: on the frames of the job's animation by its own delays, and a
// still that may become an animation takes the layer's frames and delays.
func (j *job) lay(over *job, c imaging.Call) error {
	parent := region{0, 0, j.image.width(), j.image.pageHeight()}
	p := placeLayer(c.Arg("x").Position, c.Arg("y").Position, over.image.width(), over.image.pageHeight(), parent.width, parent.height)
	mode, masks := blendModes["normal"], false
	if word := c.Text("blend"); word != "" {
		mode, masks = blendModes[word], word == "mask" || word == "mask-out"
	}
	if p.seen.empty() {
		if c.Text("blend") == "mask" { // nothing of the parent lies under the layer
			return j.perFrame((*image).cleared)
		}
		return nil
	}
	frames := j.framesUnder(over)
	if err := j.checkFrames(frames, parent); err != nil {
		return err
	}
	if err := j.materialise(); err != nil {
		return err
	}
	times := over.schedule(j, frames)
	return j.frameByFrame(frames, func(n int, base *image) (*image, error) {
		frame, err := over.image.frame(times[n])
		if err != nil {
			return nil, err
		}
		defer frame.close()
		seen, err := p.cutTo(frame, 1-c.Float("alpha")/100)
		if err != nil {
			return nil, err
		}
		defer seen.close()
		if masks {
			return seen.blended(base, p.left, p.top, mode)
		}
		return seen.blendedInside(base, p.left, p.top, mode)
	}, over)
}

// cleared returns the image, wholly transparent.
func (i *image) cleared() (*image, error) {
	return i.through([]func(*image) (*image, error){
		(*image).withAlpha, func(i *image) (*image, error) { return i.faded(0) },
	})
}

// blended returns the image over all of base.
func (i *image) blended(base *image, left, top int, mode C.VipsBlendMode) (*image, error) {
	var out *C.VipsImage
	code := C.sl_blend(base.v, i.v, &out, C.int(left), C.int(top), mode)
	return made(out, code)
}

// blendedInside returns the image over base, which is only computed anew where the image lies.
func (i *image) blendedInside(base *image, left, top int, mode C.VipsBlendMode) (*image, error) {
	if i.width() == base.width() && i.height() == base.height() {
		return i.blended(base, left, top, mode)
	}
	area, err := base.extract(left, top, i.width(), i.height())
	if err != nil {
		return nil, err
	}
	defer area.close()
	mixed, err := i.blended(area, 0, 0, mode)
	if err != nil {
		return nil, err
	}
	defer mixed.close()
	return mixed.inserted(base, left, top)
}
