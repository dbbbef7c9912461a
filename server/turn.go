package server

import (
	"context"
	"time"

	"github.com/safelight/safelight/imaging"
)

// surveyor is an engine that reads headers cheaply. One that does not has every job taken for usualCost.
type surveyor interface {
	Survey(context.Context, imaging.Source, imaging.Limits) (imaging.Header, error)
}

// releaser is an engine that gives memory back to the system.
type releaser interface{ ReleaseMemory() }

// headerCost is the most that describing a picture from its header alone takes: less than queueing is worth.
const headerCost = 5 * time.Millisecond

// usualCost is taken for a job of which nothing is known.
var usualCost = imaging.Cost{CPU: 100 * time.Millisecond, Memory: 32 << 20}

// turn waits until the picture may be worked on, and sets how many threads the work may use. release must be
// called when the work is done. The errors are those of workers.acquire.
func (s *Server) turn(ctx context.Context, p *picture) (release func(), err error) {
	cost := s.estimate(ctx, p)
	if p.request.Meta && cost.CPU <= headerCost {
		return func() {}, nil
	}
	if p.request.Meta {
		if err := s.readAhead(ctx, p); err != nil {
			return nil, err
		}
	}
	release, err = s.work.acquire(ctx, cost)
	if err == nil {
		p.limits.Threads = s.work.threads()
	}
	return release, err
}

// estimate reads the headers of the source and of its layers. What cannot be read is for the engine to complain about.
func (s *Server) estimate(ctx context.Context, p *picture) imaging.Cost {
	engine, ok := s.Engine.(surveyor)
	if !ok {
		return usualCost
	}
	w := imaging.Work{
		Canvas: p.source.Canvas != nil, Operations: p.request.Operations, Calls: p.calls, Options: p.limits.Options,
		Writable: s.Engine.Formats(), Describe: p.request.Meta,
	}
	if !w.Canvas {
		header, err := engine.Survey(ctx, p.source, p.limits)
		if err != nil {
			return usualCost
		}
		w.Source = header
	}
	for name, src := range p.source.Layers {
		if header, err := engine.Survey(ctx, src, p.limits); err == nil {
			if w.Layers == nil {
				w.Layers = make(map[string]imaging.Header, len(p.source.Layers))
			}
			w.Layers[name] = header
		}
	}
	return imaging.Estimate(w)
}
