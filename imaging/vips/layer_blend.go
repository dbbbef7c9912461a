package vips

// #include "sl_layer.h"
import "C"

import (
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// blendModes maps modes of the filter table to libvips' names, where these differ. The formulas are those of the W3C's
// Compositing and Blending Level 1; the masks keep the parent where the layer is, or where it is not.
var blendModes = map[string]string{
	"":            "over",
	"normal":      "over",
	"color-dodge": "colour-dodge",
	"color-burn":  "colour-burn",
	"mask":        "dest-in",
	"mask-out":    "dest-out",
}

// lay draws the layer, whose pixels are in memory, over the job's picture. An animated layer is played on the frames
// of the job's animation according to its own delays. A still that may become an animation takes the layer's frames
// and delays.
func (j *job) lay(over *image, l imaging.LayerPlan) error {
	if over.width() != l.Width || over.pageHeight() != l.Height { // it was pending
		l = l.WithSize(imaging.Size{Width: over.width(), Height: over.pageHeight()})
	}
	mode, masks := l.Blend, l.Blend == "mask" || l.Blend == "mask-out"
	if name, ok := blendModes[mode]; ok {
		mode = name
	}
	p := l.Place
	if p.Seen.Empty() {
		if l.Blend == "mask" { // the parent is transparent outside the layer
			return j.perFrame((*image).cleared)
		}
		return nil
	}
	frames := j.image.pages()
	if frames == 1 {
		frames = j.plan.FramesUnder(over.pages())
	}
	if err := j.materialise(); err != nil {
		return err
	}
	times, pages := over.schedule(j.image, frames), j.image.pages()
	err := j.eachFrame(frames, func(n int, base *image) (*image, error) {
		frame, err := over.frame(times[n])
		if err != nil {
			return nil, err
		}
		defer frame.close()
		seen, err := frame.seen(p, 1-l.Alpha/100)
		if err != nil {
			return nil, err
		}
		defer seen.close()
		if masks {
			return seen.blended(base, p.Left, p.Top, mode)
		}
		return seen.blendedInside(base, p.Left, p.Top, mode)
	})
	if err != nil || frames == pages {
		return err
	}
	return j.apply(func(i *image) (*image, error) { return i.withIntegers("delay", over.delays()[:frames]) })
}

// seen returns the part of a frame of the layer that is visible, tiled, with alpha, and faded by the factor.
func (i *image) seen(p imaging.Placement, factor float64) (*image, error) {
	return i.through([]func(*image) (*image, error){
		(*image).withAlpha,
		func(i *image) (*image, error) { return i.tiled(p.Across, p.Down) },
		func(i *image) (*image, error) {
			return i.extract(p.Seen.Left, p.Seen.Top, p.Seen.Width, p.Seen.Height)
		},
		func(i *image) (*image, error) { return i.faded(factor) },
	})
}

// cleared returns a fully transparent copy of the image.
func (i *image) cleared() (*image, error) {
	return i.through([]func(*image) (*image, error){
		(*image).withAlpha, func(i *image) (*image, error) { return i.faded(0) },
	})
}

// blended returns the image over all of base.
func (i *image) blended(base *image, left, top int, mode string) (*image, error) {
	name := C.CString(mode)
	defer C.free(unsafe.Pointer(name))
	var out *C.VipsImage
	return made(&out, C.sl_blend(base.v, i.v, &out, C.int(left), C.int(top), name))
}

// blendedInside returns the image over base, which is recomputed only below the image.
func (i *image) blendedInside(base *image, left, top int, mode string) (*image, error) {
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

// through applies the functions to the image in turn.
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
	return made(&out, C.sl_tile(i.v, &out, C.int(across), C.int(down)))
}

// faded returns the image, of 4 bands, with its alpha multiplied by the factor.
func (i *image) faded(factor float64) (*image, error) {
	if factor == 1 {
		return i.ref(), nil
	}
	var out *C.VipsImage
	return made(&out, C.sl_fade(i.v, &out, C.double(factor)))
}

// defaultDelay is how long a frame without a delay is shown, in milliseconds, as in browsers.
const defaultDelay = 100

// delays returns how long each of the frames is shown, in milliseconds.
func (i *image) delays() []int {
	pages := i.pages()
	list := i.integers("delay")
	for len(list) < pages {
		list = append(list, defaultDelay)
	}
	list = list[:pages]
	for n, d := range list {
		if d <= 0 {
			list[n] = defaultDelay
		}
	}
	return list
}

// schedule returns which of the layer's frames covers each of the parent's frames: the one that is
// shown when the parent's frame begins, with the layer starting over when it ends.
func (i *image) schedule(parent *image, frames int) []int {
	times := make([]int, frames)
	pages := i.pages()
	if pages == 1 {
		return times
	}
	if parent.pages() == 1 { // the parent takes the layer's frames
		for n := range times {
			times[n] = n % pages
		}
		return times
	}
	own, whole := i.delays(), 0
	for _, d := range own {
		whole += d
	}
	now := 0
	for n, d := range parent.delays() {
		rest, frame := now%whole, 0
		for rest >= own[frame] {
			rest -= own[frame]
			frame++
		}
		times[n] = frame
		now += d
	}
	return times
}
