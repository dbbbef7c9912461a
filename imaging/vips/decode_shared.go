package vips

// #include "sl_decode_pixels.h"
// #include "sl_image.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/imaging/pixels"
)

var _ imaging.Decoder = (*Engine)(nil)

// Decode implements imaging.Decoder: the pixels are the same as if each job decoded the source itself. Problems of a
// file are left to each job, because a job may not read the damaged part.
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
		if j.input.header.ScalesPlanes() {
			return imaging.ErrAlone
		}
		list, err = j.decoded(loads)
		return err
	})
	if code := fault.CodeOf(err); err != nil && code != fault.Timeout && code != fault.Canceled {
		return nil, fmt.Errorf("%w: %w", imaging.ErrAlone, err)
	}
	return list, err
}

// planDecode checks the source against the limits, and reports the estimated cost of decoding.
func (j *job) planDecode(loads []imaging.Load) error {
	limits := j.limits
	limits.MaxResultSide, limits.MaxResultPixels = 0, 0 // the decoded picture is not a result
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

// decoded returns the source in memory, decoded for each of the loads.
func (j *job) decoded(loads []imaging.Load) ([]imaging.Pixels, error) {
	list, err := j.decodeScales(loads)
	if list != nil || err != nil {
		return list, err
	}
	list = make([]imaging.Pixels, 0, len(loads))
	for _, l := range loads {
		p, err := j.decodedAs(l)
		if err != nil {
			freeAll(list)
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func (j *job) decodedAs(l imaging.Load) (p imaging.Pixels, err error) {
	if err := j.ended(); err != nil {
		return p, err
	}
	j.plan.Route.Decode = j.input.header.DecodedBy()
	lazy, err := j.decode(l)
	if err != nil {
		return p, j.failed(err)
	}
	defer lazy.close()
	C.sl_watch(lazy.v, j.stop)
	i, err := lazy.copyMemory()
	if err != nil {
		return p, j.failed(err)
	}
	if j.damaged.Load() {
		i.close()
		return p, j.failed(errUndecoded)
	}
	return i.asDecoded(l, j.plan.Route.Decode), nil
}

// freeAll frees the pictures that were decoded.
func freeAll(list []imaging.Pixels) {
	for _, p := range list {
		if p.Free != nil {
			p.Free()
		}
	}
}

// asDecoded returns the image as Pixels. The image must be in memory; the result takes ownership of it.
func (i *image) asDecoded(l imaging.Load, by imaging.Library) imaging.Pixels {
	size := C.size_t(0)
	data := C.sl_decoded_bytes(i.v, &size)
	return imaging.Pixels{Load: l, Width: i.width(), Height: i.height(), Bands: i.bands(), Format: int(i.format()),
		By:   by,
		Data: unsafe.Slice((*byte)(data), int(size)), Free: i.close}
}

// openDecoded opens and plans a JPEG whose pixels were decoded for this job and others, and reads only its header.
// input is nil afterwards if the job cannot use the pixels.
func (j *job) openDecoded(src imaging.Source, page int, ops imaging.Operations, options imaging.PlanOptions) error {
	if j.shared == nil || len(j.shared.Data) == 0 || src.Size <= 0 {
		return nil
	}
	if _, here := imaging.BytesOf(src.Reader); here {
		return nil
	}
	if format, err := sniffReader(src); err != nil || format != imaging.JPEG {
		return nil
	}
	surveyed, _ := surveyJPEG(src)
	in, err := j.openHeader(src, page)
	if err != nil {
		return nil // opening the whole file gives a better error
	}
	in.takeSurveyed(surveyed)
	if err := j.planFor(in.header, ops, options); err != nil {
		in.close()
		return err
	}
	if j.plan.Load != j.shared.Load {
		in.close()
		return nil
	}
	j.input = in
	return nil
}

// decodedBefore makes an image of the pixels that were decoded for this job and others, with the header that libvips
// reads. It returns nil if the job itself must decode.
func (j *job) decodedBefore(l imaging.Load) (*image, error) {
	p := j.shared
	if p == nil || len(p.Data) == 0 || p.Load != l {
		return nil, nil
	}
	header, err := j.input.headerOf(*p)
	if err != nil {
		return nil, err
	}
	defer header.close()
	var out *C.VipsImage
	if p.By == imaging.ByPixels && p.Bands == header.bands() && p.Format == C.SL_FORMAT_UCHAR &&
		len(p.Data) == p.Width*p.Height*p.Bands {
		return made(&out, C.sl_borrow_pixels(
			header.v, unsafe.Pointer(&p.Data[0]), C.int(p.Width), C.int(p.Height), &out,
		))
	}
	return made(&out, C.sl_decoded_image(
		header.v, unsafe.Pointer(&p.Data[0]), C.size_t(len(p.Data)), C.int(p.Width), C.int(p.Height),
		C.int(p.Bands), C.int(p.Format), &out,
	))
}

// headerOf returns the header that libvips' loader gives for a picture, without reading pixels. A picture that was
// decoded without libvips' loader has the header of its full size.
func (in *input) headerOf(p imaging.Pixels) (*image, error) {
	if in.spare != nil && p.By == imaging.ByPixels {
		return in.spare.ref(), nil
	}
	return in.decodeByLibvips(p.Load)
}

// decodeScales decodes a baseline JPEG that is in memory for each of the different loads, in one pass over its bytes.
// It returns nil for every other file.
func (j *job) decodeScales(loads []imaging.Load) ([]imaging.Pixels, error) {
	in := j.input
	data := in.source.data
	if !in.header.DecodesScales() || data == nil {
		return nil, nil
	}
	if _, ok := surveyJPEG(imaging.Source{Reader: bytes.NewReader(data), Size: int64(len(data))}); !ok {
		return nil, nil
	}
	scales := make([]pixels.Scale, len(loads))
	list := make([]imaging.Pixels, len(loads))
	for n, l := range loads {
		img, err := in.spare.remade(l.Width, l.Height, func([]byte) error { return nil })
		if err != nil {
			freeAll(list)
			return nil, nil
		}
		list[n] = img.asDecoded(l, in.header.DecodedBy())
		scales[n] = pixels.Scale{Shrink: l.Shrink, Width: l.Width, Height: l.Height, Pixels: list[n].Data}
	}
	err := pixels.DecodeJPEG(data, in.header.Bands, scales, (*int32)(unsafe.Pointer(j.stop)))
	if err == nil {
		return list, nil
	}
	freeAll(list)
	if errors.Is(err, pixels.ErrUnsupported) {
		return nil, nil
	}
	return nil, j.failed(err)
}
