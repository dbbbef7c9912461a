package vips

// #include "decode_pixels.h"
// #include "image.h"
// #include "load_pixels.h"
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
)

var _ imaging.Decoder = (*Engine)(nil)

// Decode implements imaging.Decoder: the pixels are those that jobs by themselves decode. A file that is damaged, or
// anything else that is wrong with it, is for each job to find out: parts that a job does not read may be damaged.
func (e *Engine) Decode(
	ctx context.Context,
	src imaging.Source,
	loads []imaging.Load,
	limits imaging.Limits,
) (list []imaging.Pixels, err error) {
	err = e.run(ctx, nameOf(src), limits, func(j *job) error {
		var err error
		if j.input, err = j.openWhole(src, 1); err != nil {
			return err
		}
		if err := j.planDecode(loads); err != nil {
			return err
		}
		if cost.ScalesPlanes(j.input.header) {
			return imaging.ErrAlone
		}
		images, err := j.decoded(loads)
		if err != nil {
			return err
		}
		for n, i := range images {
			list = append(list, i.asDecoded(loads[n]))
		}
		return nil
	})
	if code := fault.CodeOf(err); err != nil && code != fault.Timeout && code != fault.Canceled {
		return nil, fmt.Errorf("%w: %w", imaging.ErrAlone, err)
	}
	return list, err
}

// planDecode checks the source against the limits, and tells what decoding takes.
func (j *job) planDecode(loads []imaging.Load) error {
	limits := j.limits
	limits.MaxResultSide, limits.MaxResultPixels = 0, 0 // all of it is no result
	plan, err := imaging.NewPlan(
		j.input.header, imaging.Operations{}, limits,
		imaging.PlanOptions{Writable: j.engine.writable, Describe: true},
	)
	if err != nil {
		return err
	}
	estimate := cost.Of(plan)
	estimate.Memory += cost.SharedRows(j.input.header)
	for _, l := range loads {
		estimate.Memory += l.Bytes(j.input.header)
	}
	if j.engine.planned != nil {
		j.engine.planned(estimate)
	}
	return nil
}

// decoded returns the source as each of the loads says, in memory.
func (j *job) decoded(loads []imaging.Load) ([]*image, error) {
	list, err := j.decodeScales(loads)
	if list != nil || err != nil {
		return list, err
	}
	list = make([]*image, 0, len(loads))
	for _, l := range loads {
		i, err := j.decodedAs(l)
		if err != nil {
			closeAll(list)
			return nil, err
		}
		list = append(list, i)
	}
	return list, nil
}

func (j *job) decodedAs(l imaging.Load) (*image, error) {
	if err := j.ended(); err != nil {
		return nil, err
	}
	lazy, err := j.loaded(l)
	if err != nil {
		return nil, j.failed(err)
	}
	defer lazy.close()
	if j.damaged {
		return nil, j.failed(errUndecoded)
	}
	C.sl_watch(lazy.v, j.stop)
	i, err := lazy.copyMemory()
	if err != nil {
		return nil, j.failed(err)
	}
	return i, nil
}

// asDecoded returns the image, which is in memory and passes to the result.
func (i *image) asDecoded(l imaging.Load) imaging.Pixels {
	size := C.size_t(0)
	data := C.sl_decoded_bytes(i.v, &size)
	return imaging.Pixels{Load: l, Width: i.width(), Height: i.height(), Bands: i.bands(), Format: int(i.format()),
		Data: unsafe.Slice((*byte)(data), int(size)), Free: i.close}
}

// openDecoded opens and plans a JPEG whose pixels were decoded for this job and others, and reads no more than its
// header. input is nil afterwards if they are of no use to the job.
func (j *job) openDecoded(src imaging.Source, page int, ops imaging.Operations, options imaging.PlanOptions) error {
	if j.shared == nil || len(j.shared.Data) == 0 || j.tolerant || src.Size <= 0 {
		return nil
	}
	if _, here := src.Reader.(interface{ Bytes() []byte }); here {
		return nil
	}
	if format, err := sniffReader(src); err != nil || format != imaging.JPEG {
		return nil
	}
	surveyed, _ := surveyJPEG(src)
	in, err := j.openHeader(src, page)
	if err != nil {
		return nil // which opening all of it tells better
	}
	in.header.GainMap = surveyed.GainMap
	in.decoded, in.tolerant = true, false
	if err := j.planFor(in.header, ops, options); err != nil {
		in.close()
		return err
	}
	if j.plan.Load != j.shared.Load {
		in.close()
		return nil
	}
	j.intolerant = true
	j.input = in
	return nil
}

// loadDecoded makes an image of the pixels that were decoded for this job and others, with the header that libvips
// reads; nil where the job decodes.
func (j *job) loadDecoded(l imaging.Load) (*image, error) {
	p := j.shared
	if p == nil || len(p.Data) == 0 || p.Load != l || j.tolerant {
		return nil, nil
	}
	header, err := j.input.headerOf(l)
	if err != nil {
		return nil, err
	}
	defer header.close()
	var out *C.VipsImage
	if j.whole = j.loadsDirectly(l) && p.Bands == header.bands() && p.Format == C.SL_FORMAT_UCHAR && len(p.Data) == p.Width*p.Height*p.Bands; j.whole {
		return made(
			out,
			C.sl_borrow_pixels(header.v, unsafe.Pointer(&p.Data[0]), C.int(p.Width), C.int(p.Height), &out),
		)
	}
	code := C.sl_decoded_image(
		header.v, unsafe.Pointer(&p.Data[0]), C.size_t(len(p.Data)), C.int(p.Width), C.int(p.Height),
		C.int(p.Bands), C.int(p.Format), &out,
	)
	return made(out, code)
}

// headerOf returns what libvips' loader says of a picture without reading its pixels. What is decoded without libvips'
// loader, and a WebP still, has the header of its full size.
func (in *input) headerOf(l imaging.Load) (*image, error) {
	f := in.header.Format
	if in.spare != nil && (f == imaging.JPEG && in.takesJPEG(l) || f == imaging.WebP && in.header.Pages == 1) {
		return in.spare.ref(), nil
	}
	return in.load(l)
}
