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

// surveyor is an engine that can read headers cheaply. Jobs of other engines get defaultCost.
type surveyor interface {
	Survey(context.Context, imaging.Source, imaging.Limits) (imaging.Header, error)
}

// effortful is an engine whose encoders' efforts the operator chose.
type effortful interface {
	Efforts() map[imaging.Format]int
}

// memoryReleaser is an engine that can return memory to the system.
type memoryReleaser interface{ ReleaseMemory() }

// memoryHolder is an engine of processes that hold memory between jobs, in bytes.
type memoryHolder interface{ Held() int64 }

// maxUnqueuedCost is the max CPU time of metadata that comes from a header alone: too cheap to queue.
const maxUnqueuedCost = 5 * time.Millisecond

// defaultCost is the cost of a job that cannot be estimated.
var defaultCost = imaging.Cost{CPU: 100 * time.Millisecond, Memory: 32 << 20}

// admit waits until the picture may be processed, and sets how many threads the engine may use. The caller calls release when
// the work is done. The errors are those of admission.Controller.Acquire.
func (s *Server) admit(ctx context.Context, p *picture) (release func(), err error) {
	cost, err := estimate(ctx, s.Engine, p)
	if err != nil {
		return nil, err
	}
	if p.request.Meta && cost.CPU <= maxUnqueuedCost {
		return func() {}, nil
	}
	if p.request.Meta {
		if err := s.bufferSources(ctx, p); err != nil {
			return nil, err
		}
	}
	if err := p.takeTurn(ctx, s, cost.CPU); err != nil {
		return nil, err
	}
	release, err = s.work.Acquire(ctx, cost)
	if err == nil {
		p.limits.Threads = s.work.Threads()
	}
	return release, err
}

// estimate estimates the cost of a picture from its plan with the headers that the engine reads; the engine reports what prevents
// a plan. It returns fault.TooLarge for a picture that would take too long, and fault.Timeout if its header alone does.
func estimate(ctx context.Context, engine imaging.Engine, p *picture) (imaging.Cost, error) {
	if _, ok := engine.(surveyor); !ok {
		return defaultCost, nil
	}
	planned, err := plan(ctx, engine, p)
	if code := fault.CodeOf(err); code == fault.Timeout || code == fault.Canceled {
		return imaging.Cost{}, err // the work would start the same again
	}
	if err != nil {
		return defaultCost, nil
	}
	estimated := cost.Of(planned)
	return estimated, estimated.Check(planned.Request.Limits.Timeout)
}

// ReserveMemory waits until the estimated memory of work in the background is free in the budget that requests share. engine
// does the work and reads the header; describe is true if it only describes the result. The caller calls release when the
// work is done. The errors are those of admission.Controller.Borrow.
func (s *Server) ReserveMemory(ctx context.Context, engine imaging.Engine, src imaging.Source, ops imaging.Operations, limits imaging.Limits, describe bool) (release func(), err error) {
	if describe && ops == (imaging.Operations{}) {
		return func() {}, nil // reads the header only
	}
	p := &picture{source: src, limits: limits, request: imaging.Request{Operations: ops, Meta: describe}}
	cost, err := estimate(ctx, engine, p)
	if err != nil {
		return nil, err
	}
	return s.work.Borrow(ctx, cost.Memory)
}

// errSizeUnknown reports that a plan fails for a source whose size only decoding tells, a vector: its result may be possible.
var errSizeUnknown = errors.New("the size of a source is not known before it is decoded")

// plan plans the result from the headers of the open sources, without decoding. The errors are those of the engine, and
// errSizeUnknown.
func plan(ctx context.Context, engine imaging.Engine, p *picture) (imaging.Plan, error) {
	header, err := survey(ctx, engine, p.source, p.limits)
	if err != nil {
		return imaging.Plan{}, err
	}
	options := imaging.PlanOptions{Writable: engine.Formats(), Describe: p.request.Meta}
	if e, ok := engine.(effortful); ok {
		options.Efforts = e.Efforts()
	}
	for name, src := range p.source.Layers {
		if options.Layers == nil {
			options.Layers = make(map[string]imaging.Header, len(p.source.Layers))
		}
		if options.Layers[name], err = survey(ctx, engine, src, p.limits); err != nil {
			return imaging.Plan{}, err
		}
	}
	planned, err := imaging.NewPlan(header, p.request.Operations, p.limits, options)
	unsized := func(h imaging.Header) bool { return !h.Canvas && h.Width == 0 }
	if err != nil && (unsized(header) || slices.ContainsFunc(slices.Collect(maps.Values(options.Layers)), unsized)) && fault.CodeOf(err) == fault.TooLarge {
		err = errSizeUnknown
	}
	return planned, err
}

// survey returns the header of an open source. Engines that are no surveyor leave it at the format.
func survey(ctx context.Context, engine imaging.Engine, src imaging.Source, limits imaging.Limits) (imaging.Header, error) {
	if src.Canvas != nil {
		return imaging.CanvasHeader(*src.Canvas), nil
	}
	if reader, ok := engine.(surveyor); ok {
		return reader.Survey(ctx, src, limits)
	}
	format, err := sniff(src.Reader)
	return imaging.Header{Format: format, Pages: 1, Bands: 3, Bytes: src.Size}, err
}
