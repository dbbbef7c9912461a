package vips

// #include "layer.h"
import "C"

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// place returns where a layer of that side starts on a parent's side, in pixels.
func place(p imaging.Position, side, parent int) int {
	n := p.Number
	switch p.Unit {
	case imaging.UnitStart:
		return -p.Offset
	case imaging.UnitCentre:
		return (parent-side)/2 - p.Offset
	case imaging.UnitEnd:
		return parent - side + p.Offset
	case imaging.UnitRepeat:
		return 0
	case imaging.UnitFraction:
		n *= float64(parent)
	}
	if n < 0 {
		return parent - side + int(math.Round(n))
	}
	return int(math.Round(n))
}

// repeats returns how often a layer of that side lies along a parent's side, at least once.
func repeats(p imaging.Position, side, parent int) int {
	if p.Unit != imaging.UnitRepeat {
		return 1
	}
	return (parent + side - 1) / side
}

// placed is where a layer lies: the region of the layer, tiled, that is seen, and its corner on the parent.
type placed struct {
	across, down int
	seen         region
	left, top    int
}

// placeLayer returns where a layer of that size lies on a parent of that size.
func placeLayer(x, y imaging.Position, width, height, parentWidth, parentHeight int) placed {
	p := placed{across: repeats(x, width, parentWidth), down: repeats(y, height, parentHeight)}
	width, height = width*p.across, height*p.down
	left, top := place(x, width, parentWidth), place(y, height, parentHeight)
	p.left, p.top = max(left, 0), max(top, 0)
	p.seen = region{p.left - left, p.top - top, min(left+width, parentWidth) - p.left, min(top+height, parentHeight) - p.top}
	return p
}

// cutTo returns the part of a frame of the layer that is seen, tiled, with alpha, fainter by that factor.
func (p placed) cutTo(i *image, factor float64) (*image, error) {
	chain := []func(*image) (*image, error){
		(*image).withAlpha,
		func(i *image) (*image, error) { return i.tiled(p.across, p.down) },
		func(i *image) (*image, error) { return i.extract(p.seen.left, p.seen.top, p.seen.width, p.seen.height) },
		func(i *image) (*image, error) { return i.faded(factor) },
	}
	return i.through(chain)
}

// through returns what the functions make of the image, one after the other.
func (i *image) through(chain []func(*image) (*image, error)) (*image, error) {
	out := i.ref()
	for _, f := range chain {
		next, err := f(out)
		out.close()
		if err != nil {
			return nil, err
		}
		out = next
	}
	return out, nil
}

func (i *image) tiled(across, down int) (*image, error) {
	if across == 1 && down == 1 {
		return i.ref(), nil
	}
	var out *C.VipsImage
	code := C.sl_tile(i.v, &out, C.int(across), C.int(down))
	return made(out, code)
}

// faded returns the image, of 4 bands, with its alpha multiplied by the factor.
func (i *image) faded(factor float64) (*image, error) {
	if factor == 1 {
		return i.ref(), nil
	}
	var out *C.VipsImage
	code := C.sl_fade(i.v, &out, C.double(factor))
	return made(out, code)
}
