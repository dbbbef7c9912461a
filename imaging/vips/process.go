package vips

import (
	"context"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
)

// pipeline is what happens to every loaded picture, in this order.
func pipeline() []step {
	return []step{stepPlace, stepFilters, stepFlatten, stepColourspace, stepMetadata}
}

// stepPlace runs the steps before the filters, which decide what of the source is shown where. A preview keeps their
// result for the next one.
func stepPlace(j *job) error {
	if j.placed.recalled {
		return nil
	}
	err := j.draw([]step{stepColour, stepTurn, stepStraighten, stepTrim, stepCrop, stepResize, stepFlip})
	if err != nil {
		return err
	}
	return j.keepPlaced()
}

// Process applies ops to the picture of src and encodes the result.
func (e *Engine) Process(
	ctx context.Context,
	src imaging.Source,
	ops imaging.Operations,
	limits imaging.Limits,
) (*imaging.Result, error) {
	var result *imaging.Result
	start := time.Now()
	err := e.run(ctx, nameOf(src), limits, func(j *job) error {
		calls, warnings, err := ops.Filters.Calls(limits.Strict)
		if err != nil {
			return err
		}
		if imaging.HasCall(calls, "raw") && src.Canvas == nil {
			j.warnings = warnings
			result, err = j.raw(src)
			return err
		}
		if err := j.open(src, ops, calls, false); err != nil {
			return err
		}
		if err := j.draw(pipeline()); err != nil {
			return err
		}
		result, err = j.result(src)
		if err == nil {
			result.Timing = imaging.Timing{
				Process:   time.Since(start) - j.encoding,
				Encode:    j.encoding,
				BytesRead: j.read,
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// nameOf returns what messages call the source.
func nameOf(src imaging.Source) string {
	switch {
	case src.Canvas != nil:
		return "canvas"
	case src.Name == "":
		return "(unnamed)"
	}
	return src.Name
}

// pageOf returns the page that page() names, from 1, and the resolution that dpi() names for vectors.
func pageOf(calls []imaging.Call) (page int, dpi float64) {
	page = 1
	for _, c := range calls {
		switch c.Name {
		case "page":
			page = c.Int("n")
		case "dpi":
			dpi = c.Float("n")
		}
	}
	return page, dpi
}

// open opens the source and the pictures of layers, plans, and loads what the plan says.
func (j *job) open(src imaging.Source, ops imaging.Operations, calls []imaging.Call, describe bool) error {
	options := imaging.PlanOptions{Writable: j.engine.writable, Efforts: j.engine.efforts, Describe: describe}
	if err := j.openLayers(src.Layers, ops, false); err != nil {
		return err
	}
	options.Layers = j.headers()
	if src.Canvas != nil {
		j.canvas = src.Canvas
		if err := j.planFor(imaging.CanvasHeader(*src.Canvas), ops, options); err != nil {
			return err
		}
		return j.load()
	}
	preview := ""
	if !describe {
		preview = j.previewKey(src, calls)
	}
	if found, err := j.recall(preview, ops, options); found || err != nil {
		return err
	}
	page, dpi := pageOf(calls)
	j.dpi, j.shared = dpi, src.Pixels
	var err error
	if err = j.openDecoded(src, page, ops, options); err != nil {
		return err
	}
	if j.input == nil {
		if j.input, err = j.openWhole(src, page); err != nil {
			return err
		}
		if err := j.planFor(j.input.header, ops, options); err != nil {
			return err
		}
	}
	j.read = j.input.header.Bytes
	j.icc = j.input.icc
	planned := j.plan // keys are those of a plan that nothing is found out for yet
	if err := j.load(); err != nil {
		return err
	}
	return j.keep(preview, planned)
}

// planFor makes the job's plan; the pictures of all layers have to be there.
func (j *job) planFor(h imaging.Header, ops imaging.Operations, options imaging.PlanOptions) error {
	if err := j.replan(imaging.NewPlan(h, ops, j.limits, options)); err != nil {
		return err
	}
	estimate := cost.Of(j.plan)
	if err := estimate.Check(j.limits.Timeout); err != nil {
		return err
	}
	if j.engine.planned != nil {
		j.engine.planned(estimate)
	}
	return j.plan.Complete()
}

// draw runs the steps, and looks at the deadline after each one.
func (j *job) draw(steps []step) error {
	for _, s := range steps {
		if err := s(j); err != nil {
			return j.failed(err)
		}
		if err := j.ended(); err != nil {
			return err
		}
	}
	return nil
}

// stepFilters runs the filters of the plan, in their order; neighboring tone filters as one. A trim among them plans
// those that follow.
func stepFilters(j *job) error {
	for n := 0; n < len(j.plan.Filters); n++ {
		if j.plan.Filters[n].Pending == imaging.PendingTrim {
			c := j.plan.Filters[n].Call
			if err := j.measure(imaging.Corner(c.Text("corner")), c.Float("tolerance")); err != nil {
				return err
			}
		}
		if err := j.ended(); err != nil {
			return err
		}
		if run := toneRun(j.plan.Filters[n:]); run > 0 {
			if err := j.tones(j.plan.Filters[n : n+run]); err != nil {
				return j.failed(err)
			}
			n += run - 1
			continue
		}
		s := j.plan.Filters[n]
		f := j.engine.filters[s.Call.Name]
		if s.Skip || f == nil {
			continue
		}
		if err := f(j, s); err != nil {
			return j.failed(err)
		}
	}
	return nil
}

// stepFlatten composites the picture over white if the result's format has no transparency.
func stepFlatten(j *job) error {
	if j.plan.Request.Options.Describe { // hashes and averages have rules of their own
		return nil
	}
	for _, e := range j.plan.Encode {
		if !e.Flatten {
			return nil
		}
	}
	return j.flatten(white)
}

// result encodes the job's image, which is made of src.
func (j *job) result(src imaging.Source) (*imaging.Result, error) {
	width, height, pages := j.image.width(), j.image.pageHeight(), j.image.pages()
	data, format, err := j.save()
	if err == nil && format == imaging.JPEG {
		data, err = j.withGainMap(src, data)
	}
	if err != nil {
		return nil, err
	}
	return &imaging.Result{
		Data: data, Format: format, ContentType: format.ContentType(),
		Width: width, Height: height, Pages: pages, Route: j.plan.Route, Warnings: j.allWarnings(),
	}, nil
}

// allWarnings returns the plan's warnings and those of executing it, once nothing waits to be decoded.
func (j *job) allWarnings() []imaging.Warning {
	if j.damaged.Load() {
		j.warn("", "image", "the file is corrupt: parts of the picture may be wrong or missing")
	}
	if len(j.warnings) == 0 {
		return j.plan.Warnings
	}
	return append(j.plan.Warnings[:len(j.plan.Warnings):len(j.plan.Warnings)], j.warnings...)
}

// raw returns the source's bytes untouched, with what its header says where it can be read.
func (j *job) raw(src imaging.Source) (*imaging.Result, error) {
	data, err := readAll(src, j.limits.MaxSourceBytes, func(size int64) []byte { return make([]byte, 0, size) })
	if err != nil {
		return nil, err
	}
	format := sniff(data)
	r := &imaging.Result{Data: data, Format: format, ContentType: format.ContentType(), Pages: 1, Warnings: j.warnings}
	if r.ContentType == "" {
		r.ContentType = "application/octet-stream"
	}
	in := &input{name: j.name, header: imaging.Header{Format: format}}
	if j.check(in) != nil || format == imaging.SVG {
		return r, nil
	}
	in.source = memorySource(data)
	defer in.close()
	if err := j.readHeader(in, 1); err == nil {
		size := in.header.Sides()
		r.Width, r.Height, r.Pages = size.Width, size.Height, in.header.Pages
	} else if c := fault.CodeOf(err); c == fault.Canceled || c == fault.Timeout {
		return nil, err
	}
	return r, nil
}
