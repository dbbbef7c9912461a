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

// defaultCost is the cost of a job that cannot be estimated.
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
	options := imaging.PlanOptions{Writable: engine.Formats(), Efforts: engine.Efforts(), Describe: j.Describe}
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

// survey returns the header of an open source.
func survey(
	ctx context.Context, engine imaging.Engine, src imaging.Source, limits imaging.Limits,
) (imaging.Header, error) {
	if src.Canvas != nil {
		return imaging.CanvasHeader(*src.Canvas), nil
	}
	return engine.Survey(ctx, src, limits)
}
