// Package coalesce decodes a source only once for several results that are requested at the same time. No request
// waits for others to join it. Three kinds of requests join a decode: those that wait in the queue when it begins,
// those that arrive while it runs, and, those that need the source at another scale and arrive during its first
// quarter, in which case the decode is restarted (docs/contributing/decisions/0014).
//
// The entry point is Do in coalesce.go. join.go decides which requests share a decode, and decode.go decodes and
// distributes the pixels.
package coalesce

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/server/admission"
)

const (
	maxMembers = 16 // max results that share one decode
	maxTries   = 3  // max attempts of a result to share a decode before it is rendered alone
)

// Coalescer renders results, and lets results of the same source share one decode. Its methods are safe for concurrent
// use. Create it with New.
type Coalescer struct {
	work    *admission.Controller
	decoder imaging.Decoder // nil: results share no decodes

	mu      sync.Mutex
	sources map[string]*source
	stats   Stats
}

// Stats are counters since the start.
type Stats struct {
	Decodes uint64 // decodes that served several results
	Results uint64 // results that were rendered from shared decodes
	Again   uint64 // decodes that were restarted because other results joined
}

// New returns a Coalescer for an engine. If the engine is not an imaging.Decoder, results share no decodes.
func New(work *admission.Controller, engine imaging.Engine) *Coalescer {
	d, _ := engine.(imaging.Decoder)
	return &Coalescer{work: work, decoder: d, sources: map[string]*source{}}
}

// Stats returns the current figures.
func (s *Coalescer) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Request describes a requested result.
type Request struct {
	Source imaging.Source // open, with a Version
	Limits imaging.Limits
	Plan   imaging.Plan // zero if the result has no plan
	Cost   imaging.Cost // of the plan
	Alone  bool         // render alone: the version may not identify the bytes
	Client string       // see admission.Work; the client whose request leads a decode is charged for all of it
}

// Render renders a result from pixels or, if they are nil, from the source. Do may cancel it and call it again.
type Render func(ctx context.Context, pixels *imaging.Pixels) error

// Do waits until the result may be rendered, and calls render. The errors are those of admission.Controller.Enter, of
// the engine's Decode, and of render.
func (s *Coalescer) Do(ctx context.Context, r Request, render Render) error {
	m := &member{request: r}
	if s.decoder != nil && isShareable(r) {
		m.rest = cost.OfDecoded(r.Plan)
		for range maxTries {
			if err := s.try(ctx, m, render); err != errAgain {
				return err
			}
		}
	}
	return s.enter(ctx, m.work(r.Cost), func() error { return render(ctx, nil) })
}

// enter waits for a slot and calls do in it.
func (s *Coalescer) enter(ctx context.Context, w admission.Work, do func() error) error {
	release, err := s.work.Enter(ctx, w)
	if err != nil {
		return err
	}
	defer release()
	return do()
}

// errAgain reports that a decode did not take place, so that the member may join another decode.
var errAgain = errors.New("no decode took place")

// errJoined is the cause of canceling work that is restarted because others have joined.
var errJoined = errors.New("others have joined")

// try makes one attempt to render the result; errAgain means that the caller should make another.
func (s *Coalescer) try(ctx context.Context, m *member, render Render) error {
	work := m.work(m.request.Cost)
	if m.arrived.IsZero() {
		m.arrived = time.Now()
	}
	defer s.quit(m)
	if d := s.join(ctx, m); d != nil {
		return s.follow(ctx, m, d, render)
	}
	work.Taken, work.Shared = m.taken, m.shared()
	err := s.enter(ctx, work, func() error {
		d, leads := s.lead(ctx, m)
		if d == nil {
			var err error
			if d, err = s.alone(ctx, m, render); d == nil {
				return err
			}
		} else if !leads {
			return admission.ErrTaken
		}
		return s.decodeForAll(ctx, m, d, render)
	})
	if err == admission.ErrTaken {
		return s.follow(ctx, m, s.decodeOf(m), render)
	}
	return err
}

// alone renders the result of a member that has no others to share with. If others join meanwhile, d is the decode
// that the member leads for them. Otherwise err is the error of render.
func (s *Coalescer) alone(ctx context.Context, m *member, render Render) (d *decode, err error) {
	run, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	s.begin(m, interrupt)
	err = render(run, nil)
	if d = s.end(m); d == nil || err != nil && fault.CodeOf(err) == fault.Canceled {
		return d, err
	}
	s.finish(d, errAgain) // the result was complete before there was anything to share
	return nil, err
}

// decodeForAll decodes for the member and those that have joined it, and renders the member's result.
func (s *Coalescer) decodeForAll(ctx context.Context, m *member, d *decode, render Render) error {
	stays := context.AfterFunc(ctx, func() { s.leave(m) }) // the decode continues for the others
	s.decode(d, m.request)
	if !stays() {
		return admission.ContextError(ctx)
	}
	if errors.Is(d.err, imaging.ErrAlone) {
		return render(ctx, nil)
	}
	if d.err != nil {
		return d.err
	}
	return render(ctx, &m.picture.pixels)
}

// follow renders the member's result from the pixels that another member decodes.
func (s *Coalescer) follow(ctx context.Context, m *member, d *decode, render Render) error {
	select {
	case <-d.done:
	case <-ctx.Done():
		return admission.ContextError(ctx)
	}
	switch {
	case errors.Is(d.err, imaging.ErrAlone):
		s.leave(m)
		return s.enter(ctx, m.work(m.request.Cost), func() error { return render(ctx, nil) })
	case d.err != nil:
		return d.err
	}
	work := m.work(m.rest)
	if d.leader.arrived.Before(work.Arrived) {
		work.Arrived = d.leader.arrived // so that decoded pixels are used and freed before others are decoded
	}
	return s.enter(ctx, work, func() error { return render(ctx, &m.picture.pixels) })
}
