package server

import (
	"context"
	"time"

	"github.com/safelight/safelight/imaging"
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

// maxUnqueuedCost is the max CPU time of metadata that comes from a header alone: too cheap to queue.
const maxUnqueuedCost = 5 * time.Millisecond

// defaultCost is the cost of a job that cannot be estimated.
var defaultCost = imaging.Cost{CPU: 100 * time.Millisecond, Memory: 32 << 20}

// admit waits until the picture may be processed, and sets how many threads the engine may use. The caller calls release when
// the work is done. The errors are those of admission.Controller.Acquire.
func (s *Server) admit(ctx context.Context, p *picture) (release func(), err error) {
	cost, err := s.estimate(ctx, p)
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
	release, err = s.work.Acquire(ctx, cost)
	if err == nil {
		p.limits.Threads = s.work.Threads()
	}
	return release, err
}

// estimate estimates the cost from the headers of the source and its layers. It skips what it cannot read: the engine reports
// that. It returns fault.TooLarge for a picture that would take too long.
func (s *Server) estimate(ctx context.Context, p *picture) (imaging.Cost, error) {
	return estimateWith(ctx, s.Engine, p)
}

// ReserveMemory waits until the estimated memory of work in the background is free in the budget that requests share. engine
// does the work and reads the header; describe is true if it only describes the result. The caller calls release when the
// work is done. The errors are those of admission.Controller.Borrow.
func (s *Server) ReserveMemory(ctx context.Context, engine imaging.Engine, src imaging.Source, ops imaging.Operations, limits imaging.Limits, describe bool) (release func(), err error) {
	if describe && ops == (imaging.Operations{}) {
		return func() {}, nil // reads the header only
	}
	p := &picture{source: src, limits: limits, request: imaging.Request{Operations: ops, Meta: describe}}
	cost, err := estimateWith(ctx, engine, p)
	if err != nil {
		return nil, err
	}
	return s.work.Borrow(ctx, cost.Memory)
}

// estimateWith is estimate with the headers that an engine reads.
func estimateWith(ctx context.Context, by imaging.Engine, p *picture) (imaging.Cost, error) {
	engine, ok := by.(surveyor)
	if !ok {
		return defaultCost, nil
	}
	header := imaging.Header{Canvas: true, Pages: 1, Bands: 3}
	if p.source.Canvas == nil {
		var err error
		if header, err = engine.Survey(ctx, p.source, p.limits); err != nil {
			return defaultCost, nil
		}
	}
	options := imaging.PlanOptions{Writable: by.Formats(), Describe: p.request.Meta}
	if e, ok := by.(effortful); ok {
		options.Efforts = e.Efforts()
	}
	for name, src := range p.source.Layers {
		if h, err := engine.Survey(ctx, src, p.limits); err == nil {
			if options.Layers == nil {
				options.Layers = make(map[string]imaging.Header, len(p.source.Layers))
			}
			options.Layers[name] = h
		}
	}
	plan, err := imaging.NewPlan(header, p.request.Operations, p.limits, options)
	if err != nil {
		return defaultCost, nil
	}
	return plan.Cost(), plan.CheckCost()
}
