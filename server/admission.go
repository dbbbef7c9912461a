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

// memoryHolder is an engine whose processes hold memory between jobs. Held returns how many bytes.
type memoryHolder interface{ Held() int64 }

// maxUnqueuedCost is the max CPU time of a metadata request that does not queue, because it reads only a header.
const maxUnqueuedCost = 5 * time.Millisecond

// job describes the rendering of the picture, whose sources must be open.
func (p *picture) job() plannedJob {
	return plannedJob{Source: p.source, Operations: p.request.Operations, Limits: p.limits, Describe: p.request.Meta}
}

// admit waits until the picture may be processed, sets the number of threads that the engine may use, and calls do. do
// may be canceled and called again. The errors are those of coalesce.Coalescer.Do.
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

// onceWith is sync.OnceFunc for a function with an argument.
func onceWith(f func(error)) func(error) {
	var once sync.Once
	return func(err error) { once.Do(func() { f(err) }) }
}

// Admit makes work that is not a request for a picture wait in the same queue as those requests: uploads, previews of
// templates, and the analysis of files, which counts as work of the server itself. engine will do the work, and reads
// the header to estimate it; describe is true if the work only describes the result. The caller must call release when
// the work is done. The errors are those of admission.Controller.Enter.
func (s *Server) Admit(
	ctx context.Context, engine imaging.Engine, src imaging.Source,
	ops imaging.Operations, limits imaging.Limits, describe bool,
) (release func(), err error) {
	if describe && ops == (imaging.Operations{}) {
		return func() {}, nil // it reads only the header
	}
	job := plannedJob{Source: src, Operations: ops, Limits: limits, Describe: describe}
	cost, _, err := estimate(ctx, engine, job)
	if err != nil {
		return nil, err
	}
	return s.work.Enter(ctx, admission.Work{Client: clientOf(ctx), Cost: cost})
}
