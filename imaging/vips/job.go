package vips

// #include "sl_image.h"
import "C"

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// job is one plan on its way through the steps. Its image is always in one of two states: fresh from
// the loader (sequential, to be read once), or in memory after materialise.
type job struct {
	ctx    context.Context
	engine *Engine
	name   string // of the source, for messages
	limits imaging.Limits
	stop   *C.int // not 0 once the work is to end; libvips polls it
	broken *C.int // not 0 once a part of a source could not be decoded; set only where several threads compute

	canvas *imaging.Colour // instead of an input
	shared *imaging.Pixels // of the input, decoded before; may be nil
	input  *input          // what is read; nil for a canvas, and for a picture that previews keep
	layers map[string]*layerInput
	dpi    float64 // for vectors; 0 is the loader's own
	icc    []byte  // the profile that the image is in; nil for sRGB

	plan    imaging.Plan
	image   *image       // the picture as it stands; replaced by every step
	inMem   bool         // the image can be read twice
	damaged *atomic.Bool // parts of the picture, or of a layer, are what a decoder made of corrupt data

	warnings []imaging.Warning
	placed   placing

	read     int64         // bytes of the source
	encoding time.Duration // so far
}

// step is one stage of the pipeline. It replaces the job's image or leaves it.
type step func(*job) error

// filter is one filter of the table: it makes the step of a plan.
type filter func(*job, imaging.Step) error

// replan takes over a plan that knows more.
func (j *job) replan(p imaging.Plan, err error) error {
	if err != nil {
		return err
	}
	if j.image != nil && j.plan.Route.Decode == imaging.ByLibvips { // whatever was planned
		p.Route = p.Route.ByLibvips()
	}
	j.plan = p
	return nil
}

// replace makes out the job's image and closes the one before.
func (j *job) replace(out *image) {
	if j.image != nil && j.image != out {
		j.image.close()
	}
	j.image = out
	C.sl_watch(out.v, j.stop)
}

// apply replaces the job's image by what f makes of it, all frames at once: right for what
// looks at one pixel at a time.
func (j *job) apply(f func(*image) (*image, error)) error {
	out, err := f(j.image)
	if err != nil {
		return j.failed(err)
	}
	j.replace(out)
	return nil
}

// materialise computes the job's pixels into memory, unless they are there. A step that reads its input
// twice or out of order calls it first.
func (j *job) materialise() error {
	if j.inMem {
		return nil
	}
	if err := j.apply((*image).copyMemory); err != nil {
		return err
	}
	j.inMem = true
	return nil
}

// perFrame replaces the job's image by what f makes of each of its frames, stacked again. The
// frames that f returns must all have one size; f owns neither its argument nor its result.
func (j *job) perFrame(f func(*image) (*image, error)) error {
	pages := j.image.pages()
	if pages == 1 {
		return j.apply(f)
	}
	if err := j.materialise(); err != nil {
		return err
	}
	return j.eachFrame(pages, func(_ int, i *image) (*image, error) { return f(i) })
}

// eachFrame replaces the job's image, which is in memory, by that many frames, each made by f of the frame of that
// number, or of the last one there is.
func (j *job) eachFrame(frames int, f func(n int, frame *image) (*image, error)) error {
	pages := j.image.pages()
	list := make([]*image, 0, frames)
	defer func() {
		for _, frame := range list {
			frame.close()
		}
	}()
	for n := range frames {
		// A frame is finished before the next begins: a thousand unfinished ones hold a
		// thousand pipelines' buffers.
		frame, err := j.oneFrame(min(n, pages-1), func(i *image) (*image, error) {
			lazy, err := f(n, i)
			if err != nil {
				return nil, err
			}
			defer lazy.close()
			return lazy.copyMemory()
		})
		if err != nil {
			return err
		}
		list = append(list, frame)
	}
	out, err := stack(list)
	if err != nil {
		return j.failed(err)
	}
	j.replace(out)
	return nil
}

// oneFrame returns what f makes of the frame n.
func (j *job) oneFrame(n int, f func(*image) (*image, error)) (*image, error) {
	if err := j.ended(); err != nil {
		return nil, err
	}
	frame, err := j.image.frame(n)
	if err != nil {
		return nil, j.failed(err)
	}
	defer frame.close()
	out, err := f(frame)
	if err != nil {
		return nil, j.failed(err)
	}
	return out, nil
}

// warn notes that a filter was not followed as written.
func (j *job) warn(filter, field, message string) {
	j.warnings = append(j.warnings, imaging.Warning{Filter: filter, Field: field, Message: message})
}

// ended returns the fault for a context that has ended, nil while it goes on.
func (j *job) ended() error { return imaging.Ended(j.ctx, j.name) }

// failed turns an error of libvips or imaging/pixels into a fault: the context's when it has ended, for they then only
// say that they were stopped; too large a picture where there is not enough memory for it; else a picture that cannot
// be decoded, since sizes and arguments were checked before. Faults pass unchanged.
func (j *job) failed(err error) error {
	if err == nil {
		return nil
	}
	if end := j.ended(); end != nil {
		return end
	}
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	if in := j.input; in != nil && in.rows != nil && in.rows.err != nil {
		err = in.rows.err
	}
	if errors.Is(err, pixels.ErrMemory) {
		return fault.Wrap(err, fault.TooLarge, "There is not enough memory to process %s like this", j.name)
	}
	return fault.Wrap(err, fault.CorruptImage, "The picture %s cannot be decoded", j.name)
}

var errUndecoded = errors.New("a part of the file cannot be decoded")

// checked returns err. If err is nil but a part of a source could not be decoded, which libvips left black, it returns
// fault.CorruptImage.
func (j *job) checked(err error) error {
	if err == nil && atomic.LoadInt32((*int32)(unsafe.Pointer(j.broken))) != 0 {
		return j.failed(errUndecoded)
	}
	return err
}

// close gives back all that the job holds. Images must go before the bytes they read.
func (j *job) close() {
	j.image.close()
	j.image = nil
	j.input.close()
	j.input = nil
}
