package server

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
)

// effortful is an engine that reports the encoder efforts that the operator has chosen.
type effortful interface {
	Efforts() map[imaging.Format]int
}

// defaultCost is the cost of a job that cannot be estimated, for example because the engine is not an
// imaging.Surveyor.
var defaultCost = imaging.Cost{CPU: 100 * time.Millisecond, Memory: 32 << 20, Unknown: true}

// errSizeUnknown reports that a vector source cannot be planned, because its size is known only after decoding.
// Rendering may still succeed.
var errSizeUnknown = errors.New("the size of a source is not known before it is decoded")

// plannedJob describes a result whose cost is to be estimated.
type plannedJob struct {
	Source     imaging.Source // open
	Operations imaging.Operations
	Limits     imaging.Limits
	Describe   bool // the result is only described, not encoded
}

// estimate returns the cost of a job and the plan from which it is computed. If there is no plan, the cost is
// defaultCost and the plan is zero; the engine will report the reason when it does the work. estimate returns
// fault.TooLarge for a picture that would take too long, and fault.Timeout if reading the header takes too long.
func estimate(ctx context.Context, engine imaging.Engine, j plannedJob) (imaging.Cost, imaging.Plan, error) {
	if _, ok := engine.(imaging.Surveyor); !ok {
		return defaultCost, imaging.Plan{}, nil
	}
	planned, err := plan(ctx, engine, j)
	if code := fault.CodeOf(err); code == fault.Timeout || code == fault.Canceled {
		return imaging.Cost{}, imaging.Plan{}, err // rendering would only read the header again
	}
	if err != nil {
		return defaultCost, imaging.Plan{}, nil
	}
	estimated := cost.Of(planned)
	return estimated, planned, estimated.Check(planned.Request.Limits.Timeout)
}

// plan plans the result from the headers of the open sources, without decoding. The errors are those of the engine and
// errSizeUnknown.
func plan(ctx context.Context, engine imaging.Engine, j plannedJob) (imaging.Plan, error) {
	header, err := survey(ctx, engine, j.Source, j.Limits)
	if err != nil {
		return imaging.Plan{}, err
	}
	options := imaging.PlanOptions{Writable: engine.Formats(), Describe: j.Describe}
	if e, ok := engine.(effortful); ok {
		options.Efforts = e.Efforts()
	}
	for name, src := range j.Source.Layers {
		if options.Layers == nil {
			options.Layers = make(map[string]imaging.Header, len(j.Source.Layers))
		}
		if options.Layers[name], err = survey(ctx, engine, src, j.Limits); err != nil {
			return imaging.Plan{}, err
		}
	}
	planned, err := imaging.NewPlan(header, j.Operations, j.Limits, options)
	unsized := func(h imaging.Header) bool { return !h.Canvas && h.Width == 0 }
	if err != nil && (unsized(header) || slices.ContainsFunc(slices.Collect(maps.Values(options.Layers)), unsized)) &&
		fault.CodeOf(err) == fault.TooLarge {
		err = errSizeUnknown
	}
	return planned, err
}

// survey returns the header of an open source. If the engine is not an imaging.Surveyor, only the format is known.
func survey(
	ctx context.Context, engine imaging.Engine, src imaging.Source, limits imaging.Limits,
) (imaging.Header, error) {
	if src.Canvas != nil {
		return imaging.CanvasHeader(*src.Canvas), nil
	}
	if reader, ok := engine.(imaging.Surveyor); ok {
		return reader.Survey(ctx, src, limits)
	}
	head, err := imaging.ReadHead(src.Reader)
	if err != nil {
		return imaging.Header{}, err
	}
	if len(head) == 0 {
		return imaging.Header{}, fault.New(fault.UnsupportedType, "the source is empty, expected a picture")
	}
	format := imaging.SniffFormat(head)
	if format == "" {
		return imaging.Header{}, fault.New(
			fault.UnsupportedType,
			"the source is not a picture in a format that this server can read",
		)
	}
	return imaging.Header{Format: format, Pages: 1, Bands: 3, Bytes: src.Size}, nil
}
