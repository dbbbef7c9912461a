package vips

// #include "image.h"
import "C"

import (
	"context"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// job is one picture on its way through the steps. Its image is always in one of two states:
// fresh from the loader (sequential, to be read once), or in memory after materialise.
type job struct {
	ctx    context.Context
	engine *Engine
	parent *job   // that this one is a layer of; nil for the picture itself
	name   string // of the source, for messages
	image  *image // the picture as it stands; replaced by every step
	ops    imaging.Operations
	limits imaging.Limits
	calls  []imaging.Call // the checked filters, in their order

	layers   map[string]imaging.Source // pictures that layers name
	warnings []imaging.Warning

	source  *source
	spare   *image         // what gave the header, until it is loaded in earnest
	options string         // that the spare image was loaded with
	header  header         // what the source says of itself
	exif    map[string]any // of the source
	icc     []byte         // the source's profile; nil when it has none or plain sRGB
	format  imaging.Format // of the source; empty for a canvas
	target  imaging.Format // of the result; empty until it is known
	frames  int            // of the result

	read     int64         // bytes of the source
	encoding time.Duration // so far

	previewOf string // what previews are kept under; empty: none are
	isPlaced  bool   // the image is as the steps before the filters leave it
	warned    int    // warnings before those steps

	converted bool // to the profile that is in the image's header

	origin origin
	box    box
	meta   bool   // the picture is described, not encoded
	dry    bool   // only sizes are wanted: no step computes pixels
	inMem  bool   // the image can be read twice
	stop   *C.int // not 0 once the work is to end; libvips polls it
}

// step is one stage of the pipeline. It replaces the job's image or leaves it.
type step func(*job) error

// filter is one filter of the table. Its arguments have been checked.
type filter func(*job, imaging.Call) error

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

// materialise computes the job's pixels into memory, unless they are there or only sizes are
// wanted. A step that reads its input twice or out of order calls it first.
func (j *job) materialise() error {
	if j.inMem || j.dry {
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
	frames := make([]*image, 0, pages)
	defer func() {
		for _, frame := range frames {
			frame.close()
		}
	}()
	for n := range pages {
		// A frame is finished before the next begins: a thousand unfinished ones hold a
		// thousand pipelines' buffers.
		frame, err := j.oneFrame(n, func(i *image) (*image, error) {
			lazy, err := f(i)
			if err != nil {
				return nil, err
			}
			defer lazy.close()
			return lazy.copyMemory()
		})
		if err != nil {
			return err
		}
		frames = append(frames, frame)
	}
	out, err := stack(frames)
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

// checkSize refuses a result of that size, in pixels of one frame, that is over the limits.
// Every step that makes the picture larger calls it before any work.
func (j *job) checkSize(width, height int) error {
	pages := max(j.frames, 1)
	side, pixels := j.limits.MaxResultSide, j.limits.MaxResultPixels
	if width < 1 || height < 1 {
		return fault.New(fault.Invalid, "The result would be %dx%d pixels; both sides must be at least 1", width, height)
	}
	if j.dry { // telling a size costs nothing
		return nil
	}
	if side > 0 && (width > side || height > side) {
		return fault.New(fault.TooLarge, "The result would be %dx%d pixels; a side can have at most %d", width, height, side)
	}
	if pixels > 0 && int64(width)*int64(height)*int64(pages) > pixels {
		return fault.New(fault.TooLarge, "The result would be %dx%d pixels in %d frames; at most %d pixels are allowed", width, height, pages, pixels)
	}
	return nil
}

// warn notes that a filter was not followed as written.
func (j *job) warn(filter, field, message string) {
	j.warnings = append(j.warnings, imaging.Warning{Filter: filter, Field: field, Message: message})
}

// misread is warn for an argument that cannot be followed; in strict mode it returns the fault instead.
func (j *job) misread(filter, field, message string) error {
	if j.limits.Strict {
		return fault.OnField(fault.Invalid, filter+"."+field, "%s", message)
	}
	j.warn(filter, field, message)
	return nil
}

// ended returns the fault for a context that has ended, nil while it goes on.
func (j *job) ended() error {
	switch err := j.ctx.Err(); err {
	case nil:
		return nil
	case context.DeadlineExceeded:
		return fault.Wrap(err, fault.Timeout, "Processing %s took longer than its limit", j.name)
	default:
		return fault.Wrap(err, fault.Canceled, "Processing %s was canceled", j.name)
	}
}

// failed turns an error of libvips into a fault: the context's when it has ended, for libvips
// then only says that it was stopped, else a picture that cannot be decoded, since sizes and
// arguments were checked before. Faults pass unchanged.
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
	return fault.Wrap(err, fault.CorruptImage, "The picture %s cannot be decoded", j.name)
}

// close gives back all that the job holds. Images must go before the bytes they read.
func (j *job) close() {
	j.image.close()
	j.spare.close()
	j.image, j.spare = nil, nil
	j.source.close()
	j.source = nil
}
