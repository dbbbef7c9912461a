package vips

import (
	"context"
	"slices"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/embedded"
)

// Info describes the result of the operations without encoding it. Only headers are read, bit by
// bit, unless a trim or a metadata filter needs pixels; sha256 reads the file without decoding it.
func (e *Engine) Info(
	ctx context.Context,
	src imaging.Source,
	req imaging.InfoRequest,
	limits imaging.Limits,
) (*imaging.Info, error) {
	if info, ok := e.Describe(src, req, limits); ok && ctx.Err() == nil && !slices.Contains(e.refused, info.Format) {
		return info, nil
	}
	if req.Sample {
		return e.infoOfSample(ctx, src, req.Operations, limits)
	}
	return e.describe(ctx, src, question{Operations: req.Operations}, limits)
}

// Describe is Info without operations for the files of which Go alone can read everything that Info says: the usual
// JPEGs, PNGs and WebP stills without EXIF data or a color profile. ok is false for all others.
func (e *Engine) Describe(
	src imaging.Source, req imaging.InfoRequest, limits imaging.Limits,
) (info *imaging.Info, ok bool) {
	if req.Sample || req.Operations != (imaging.Operations{}) || src.Reader == nil ||
		limits.MaxSourceBytes > 0 && src.Size > limits.MaxSourceBytes {
		return nil, false
	}
	h, ok := e.Parse(src)
	if !ok || h.EXIF || h.Profile {
		return nil, false
	}
	plan, err := imaging.NewPlan(h, req.Operations, limits, imaging.PlanOptions{
		Writable: e.writable, Efforts: e.efforts, Describe: true,
	})
	if err != nil {
		return nil, false
	}
	info = &imaging.Info{Exif: map[string]any{}, Warnings: plan.Warnings}
	describePlan(info, plan, limits)
	return info, true
}

// question holds the parameters of Info.
type question struct {
	imaging.Operations
	sample    bool
	thumbnail *embedded.Thumbnail // analyzed instead of the picture; nil: none
}

// describe is Info, but returns errNoThumbnail if the thumbnail cannot be looked at.
func (e *Engine) describe(
	ctx context.Context,
	src imaging.Source,
	q question,
	limits imaging.Limits,
) (*imaging.Info, error) {
	var info *imaging.Info
	err := e.run(ctx, nameOf(src), limits, func(j *job) error {
		calls, _, err := q.Filters.Calls(limits.Strict)
		if err != nil {
			return err
		}
		pixels := q.thumbnail == nil && imaging.NeedsPixels(q.Operations, calls)
		if pixels {
			err = j.open(src, q.Operations, calls, true)
		} else {
			err = j.plansOnly(src, q.Operations, calls)
		}
		if err != nil {
			return err
		}
		info = j.embedded() // before a step drops it from the header
		if pixels {
			if err := j.draw(pipeline()); err != nil {
				return err
			}
		}
		if err := j.describe(info, q); err != nil {
			return err
		}
		if imaging.HasCall(calls, "sha256") && src.Canvas == nil {
			info.SHA256, err = j.digest(src.Reader)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}

// plansOnly makes the job's plan from headers; no picture is loaded.
func (j *job) plansOnly(src imaging.Source, ops imaging.Operations, calls []imaging.Call) (err error) {
	if err := j.openLayers(src.Layers, ops, true); err != nil {
		return err
	}
	h := imaging.Header{}
	if src.Canvas != nil {
		h = imaging.CanvasHeader(*src.Canvas)
	} else {
		page, dpi := pageOf(calls)
		j.dpi = dpi
		if j.input, err = j.openHeader(src, page); err != nil {
			return err
		}
		h = j.input.header
	}
	return j.replan(imaging.NewPlan(h, ops, j.limits, imaging.PlanOptions{
		Layers: j.headers(), Writable: j.engine.writable, Efforts: j.engine.efforts, Describe: true,
	}))
}

// describe completes info with the plan's data about the result, and with the analysis of its pixels.
func (j *job) describe(info *imaging.Info, q question) error {
	describePlan(info, j.plan, j.limits)
	if q.sample {
		size := j.input.header.Sides()
		info.Width, info.Height = size.Width, size.Height
	}
	err := j.describePixels(info, q)
	info.Warnings = j.allWarnings()
	return err
}

// describePlan adds to info the plan's data about the result.
func describePlan(info *imaging.Info, p imaging.Plan, limits imaging.Limits) {
	info.Format, info.ContentType = p.Format(), p.Format().ContentType()
	info.Width, info.Height, info.Bands, info.Pages = p.Result.Width, p.Result.Height, p.Bands(), p.Result.Frames
	if h := p.Request.Header; !h.Canvas && len(limits.AutoFormat) == 0 &&
		!imaging.HasCall(p.Calls, "format", "autojpg") {
		describeDocument(info, h)
	}
	info.Orientation = max(p.Request.Header.Orientation, 1)
}

// describeDocument describes a document itself rather than the picture that a page of it would be written as.
func describeDocument(info *imaging.Info, h imaging.Header) {
	t := h.Format.Traits()
	if t.Vector {
		info.Format, info.ContentType = h.Format, h.Format.ContentType()
	}
	if t.Pages && !t.Frames {
		info.Pages = h.Pages
	}
}
