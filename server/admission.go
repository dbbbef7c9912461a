package server

import (
	"context"
	"sync"
	"time"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/coalesce"
	"github.com/safelight/safelight/server/metrics"
)

// memoryReleaser is an engine that can return memory to the system.
type memoryReleaser interface{ ReleaseMemory() }

// memoryHolder is an engine of processes that hold memory between jobs, in bytes.
type memoryHolder interface{ Held() int64 }

// maxUnqueuedCost is the max CPU time of metadata that comes from a header alone: too cheap to queue.
const maxUnqueuedCost = 5 * time.Millisecond

// job is the work of the picture, whose sources are open.
func (p *picture) job() plannedJob {
	return plannedJob{Source: p.source, Operations: p.request.Operations, Limits: p.limits, Describe: p.request.Meta}
}

// admit calls do when the picture may be processed, with the threads set that the engine may use. do may be canceled
// and called again. The errors are those of coalesce.Coalescer.Do.
func (s *Server) admit(ctx context.Context, p *picture, do func(context.Context) error) error {
	waiting, end := s.stage(ctx, metrics.Queue)
	end = onceWith(end)
	cost, planned, err := estimate(waiting, s.Engine, p.job())
	if err == nil && p.request.Meta && cost.CPU <= maxUnqueuedCost {
		end(nil)
		return do(ctx)
	}
	if err == nil && p.request.Meta {
		err = s.bufferSources(waiting, p)
	}
	if err == nil {
		err = p.takeTurn(waiting, s, cost.CPU)
	}
	if err != nil {
		end(err)
		return err
	}
	r := coalesce.Request{
		Source: p.source, Limits: p.limits, Plan: planned, Cost: cost, Client: clientOf(ctx),
		Alone: p.request.Meta || !p.sourcesSettled(s.config.Now()),
	}
	err = s.coalescer.Do(ctx, r, func(ctx context.Context, pixels *imaging.Pixels) error {
		end(nil)
		p.limits.Threads, p.source.Pixels = s.work.Threads(), pixels
		return do(ctx)
	})
	end(err)
	return err
}

// onceWith returns a function that calls f the first time only.
func onceWith(f func(error)) func(error) {
	var once sync.Once
	return func(err error) { once.Do(func() { f(err) }) }
}

// TakeTurn waits until work that is not a request for a picture may run, among those requests: uploads, previews of
// templates, and the analysis of files, which counts as work of the server itself. engine does the work and reads the
// header; describe is true if it only describes the result. The caller calls release when the work is done. The errors
// are those of admission.Controller.Enter.
func (s *Server) TakeTurn(
	ctx context.Context, engine imaging.Engine, src imaging.Source,
	ops imaging.Operations, limits imaging.Limits, describe bool,
) (release func(), err error) {
	if describe && ops == (imaging.Operations{}) {
		return func() {}, nil // reads the header only
	}
	job := plannedJob{Source: src, Operations: ops, Limits: limits, Describe: describe}
	cost, _, err := estimate(ctx, engine, job)
	if err != nil {
		return nil, err
	}
	return s.work.Enter(ctx, admission.Work{Client: clientOf(ctx), Cost: cost})
}
