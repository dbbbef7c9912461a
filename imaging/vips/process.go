package vips

import (
	"context"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// pipeline is what happens to every loaded picture, in this order.
var pipeline = []step{
	stepColour, stepOrient, stepTrim, stepCrop, stepResize, stepFlip, stepFilters, settleTarget, stepColourspace, stepMetadata,
}

// placing is how many of the steps, the first ones, say what of the picture is shown where.
const placing = 6

// Process applies ops to the picture of src and encodes the result.
func (e *Engine) Process(ctx context.Context, src imaging.Source, ops imaging.Operations, limits imaging.Limits) (*imaging.Result, error) {
	var result *imaging.Result
	start := time.Now()
	err := e.run(ctx, nameOf(src), limits, func(j *job) (err error) {
		j.ops = ops
		if err := j.readCalls(); err != nil {
			return err
		}
		if j.has("raw") && src.Canvas == nil {
			result, err = j.raw(src)
			return err
		}
		if err := e.open(j, src); err != nil {
			return err
		}
		if err := j.runSteps(); err != nil {
			return err
		}
		result, err = j.result()
		if err == nil {
			result.Timing = imaging.Timing{Process: time.Since(start) - j.encoding, Encode: j.encoding, BytesRead: j.read}
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

// open makes the job's image from the whole source, in memory, or from a canvas.
func (e *Engine) open(j *job, src imaging.Source) error {
	if src.Layers != nil {
		j.layers = src.Layers
	}
	if src.Canvas != nil {
		if err := j.chooseTarget(e.writable); err != nil {
			return err
		}
		return stepCanvas(j, *src.Canvas)
	}
	preview := j.previewKey(src)
	if found, err := j.recall(preview); found || err != nil {
		j.previewOf = preview
		return err
	}
	var err error
	if j.source, err = e.wholeSource(src, j.limits.MaxSourceBytes); err != nil {
		return err
	}
	data := j.source.data
	j.read, j.format = int64(len(data)), sniff(data)
	if _, err := j.loader(); err != nil {
		return err
	}
	if j.format == imaging.SVG {
		if err := checkSVG(j.name, data); err != nil {
			return err
		}
	}
	if err := j.openHeader(); err != nil {
		return err
	}
	if err := j.chooseTarget(e.writable); err != nil {
		return err
	}
	if err := stepLoad(j); err != nil {
		return err
	}
	if j.frames == 1 {
		j.previewOf = preview
	}
	return j.keep(preview)
}

// runSteps runs the pipeline, and looks at the deadline after each step.
func (j *job) runSteps() error {
	j.warned = len(j.warnings)
	for n, s := range pipeline {
		if n < placing && j.isPlaced {
			continue
		}
		if err := s(j); err != nil {
			return j.failed(err)
		}
		if err := j.ended(); err != nil {
			return err
		}
		if n == placing-1 && j.previewOf != "" && !j.isPlaced {
			if err := j.keepPlaced(); err != nil {
				return err
			}
		}
	}
	return nil
}

// result encodes the job's image.
func (j *job) result() (*imaging.Result, error) {
	width, height, pages := j.image.width(), j.image.pageHeight(), j.image.pages()
	save := j.save
	if j.best() {
		save = j.saveBest
	}
	data, err := save()
	if err != nil {
		return nil, err
	}
	return &imaging.Result{
		Data: data, Format: j.target, ContentType: j.target.ContentType(),
		Width: width, Height: height, Pages: pages, Warnings: j.warnings,
	}, nil
}

// raw returns the source's bytes untouched, with what its header says where it can be read.
func (j *job) raw(src imaging.Source) (*imaging.Result, error) {
	data, err := readAll(src, j.limits.MaxSourceBytes, func(size int64) []byte { return make([]byte, 0, size) })
	if err != nil {
		return nil, err
	}
	j.format = sniff(data)
	r := &imaging.Result{Data: data, Format: j.format, ContentType: j.format.ContentType(), Pages: 1, Warnings: j.warnings}
	if r.ContentType == "" {
		r.ContentType = "application/octet-stream"
	}
	if _, err := j.loader(); err != nil || j.format == imaging.SVG {
		return r, nil
	}
	j.source = memorySource(data)
	if err := j.openHeader(); err == nil {
		r.Width, r.Height = j.header.sides()
		r.Pages = j.header.pages
	} else if c := fault.CodeOf(err); c == fault.Canceled || c == fault.Timeout {
		return nil, err
	}
	return r, nil
}
