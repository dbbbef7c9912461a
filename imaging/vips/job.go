package vips

// #include "sl_image.h"
// #include "sl_library.h"
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

// job is the execution of one plan. Its image is always in one of two states: fresh from the loader (sequential, to be
// read once), or in memory after materialise.
type job struct {
	ctx    context.Context
	engine *Engine
	name   string // name of the source, for messages
	limits imaging.Limits
	stop   *C.int // nonzero once the work must end; libvips polls it
	broken *C.int // nonzero once a part of a source could not be decoded; set only if several threads compute

	canvas *imaging.Colour // set instead of input
	shared *imaging.Pixels // decoded pixels of the input; may be nil
	input  *input          // the source; nil for a canvas and for a picture from the previews
	layers map[string]*layerInput
	dpi    float64 // for vectors; 0: the loader's default
	icc    []byte  // profile of the image; nil for sRGB

	plan    imaging.Plan
	image   *image       // the current picture, which every step replaces
	inMem   bool         // the image can be read twice
	damaged *atomic.Bool // parts of the picture or of a layer come from corrupt data

	warnings []imaging.Warning
	placed   placing

	read     int64         // bytes of the source
	encoding time.Duration // so far
}

// step is one stage of the pipeline. It replaces the job's image or leaves it unchanged.
type step func(*job) error

// filter is one filter of the table: it executes a step of a plan.
type filter func(*job, imaging.Step) error

// replan replaces the plan with one that has more findings.
func (j *job) replan(p imaging.Plan, err error) error {
	if err != nil {
		return err
	}
	if j.image != nil && j.plan.Route.Decode == imaging.ByLibvips { // regardless of the plan
		p.Route = p.Route.ByLibvips()
	}
	j.plan = p
	return nil
}

// replace makes out the job's image and closes the previous one.
func (j *job) replace(out *image) {
	if j.image != nil && j.image != out {
		j.image.close()
	}
	j.image = out
	C.sl_watch(out.v, j.stop)
}

// apply replaces the job's image with the result of f for all frames at once, which is right for operations on single
// pixels.
func (j *job) apply(f func(*image) (*image, error)) error {
	out, err := f(j.image)
	if err != nil {
		return j.failed(err)
	}
	j.replace(out)
	return nil
}

// materialise computes the job's pixels into memory, unless they are already there. A step that reads its input twice
// or out of order calls it first.
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

// perFrame replaces the job's image with the results of f for each of its frames, stacked again. The frames that f
// returns must all have one size; f owns neither its argument nor its result.
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

// eachFrame replaces the job's image, which is in memory, with the given number of frames. f makes each one from the
// frame with the same number, or from the last frame.
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

// oneFrame returns the result of f for the frame n.
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

// warn records that a filter was not applied as written.
func (j *job) warn(filter, field, message string) {
	j.warnings = append(j.warnings, imaging.Warning{Filter: filter, Field: field, Message: message})
}

// ended returns the fault for a context that has ended; nil if it has not ended.
func (j *job) ended() error { return imaging.Ended(j.ctx, j.name) }

// failed turns an error of libvips or imaging/pixels into a fault: that of the context if it has ended, because the
// error then only says that the work was stopped; fault.TooLarge if there is not enough memory; fault.Unavailable if
// the system has no threads left, because many decoders then report a broken file; otherwise fault.CorruptImage,
// because sizes and arguments were checked before. Faults pass unchanged.
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
	if C.sl_can_start_threads(decoderThreads) == 0 {
		return imaging.NoThreads(err, j.name, time.Second)
	}
	return fault.Wrap(err, fault.CorruptImage, "The picture %s cannot be decoded", j.name)
}

// decoderThreads is more threads than a decoder starts on most machines. Starting them takes a fraction of a
// millisecond.
const decoderThreads = 16

var errUndecoded = errors.New("a part of the file cannot be decoded")

// checked returns err. If err is nil but a part of a source could not be decoded, which libvips left black, it returns
// fault.CorruptImage.
func (j *job) checked(err error) error {
	if err == nil && atomic.LoadInt32((*int32)(unsafe.Pointer(j.broken))) != 0 {
		return j.failed(errUndecoded)
	}
	return err
}

// close frees everything that the job holds. Images must be closed before the bytes that they read.
func (j *job) close() {
	j.image.close()
	j.image = nil
	j.input.close()
	j.input = nil
}
