// Package coalesce decodes a source only once for several results that are requested at the same time. No request waits
// for others to join it. Three kinds of requests join a decode: those that wait in the queue when it begins, those that
// arrive while it runs, and, during its first quarter, those that need the source at another scale, for which the
// decode is restarted (docs/contributing/decisions/0014).
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
	maxMembers = 16 // results that share one decode
	maxTries   = 3  // how often a result tries to share a decode, before it is rendered alone
)

// Coalescer renders results, and lets those of one source share its decode. Its methods are safe for concurrent use.
// Create it with New.
type Coalescer struct {
	work    *admission.Controller
	decoder imaging.Decoder // nil: no decode is shared

	mu      sync.Mutex
	sources map[string]*source
	stats   Stats
}

// Stats are counters since the start.
type Stats struct {
	Decodes uint64 // that served several results
	Results uint64 // that were rendered from them
	Again   uint64 // decodes that were restarted for others
}

// New returns a Coalescer for an engine. If the engine is not an imaging.Decoder, no decode is shared.
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
	Plan   imaging.Plan // zero if there is none
	Cost   imaging.Cost // of the plan
	Alone  bool         // do not share: the version may not identify the bytes
	Client string       // see admission.Work; the client whose request decodes for others is charged for it
}

// Render renders a result from pixels or, if they are nil, from the source. It may be canceled and called again.
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

// errAgain reports that a decode did not take place, so that the member may join another.
var errAgain = errors.New("no decode took place")

// errJoined is the cause of canceling work that is restarted because others have joined.
var errJoined = errors.New("others have joined")

// try renders the result, or returns errAgain.
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

// alone renders the result of a member that no other has joined. If others join meanwhile, d is the decode that the
// member leads for them. Otherwise err is the error of render.
func (s *Coalescer) alone(ctx context.Context, m *member, render Render) (d *decode, err error) {
	run, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	s.begin(m, interrupt)
	err = render(run, nil)
	if d = s.end(m); d == nil || err != nil && fault.CodeOf(err) == fault.Canceled {
		return d, err
	}
	s.finish(d, errAgain) // the result was complete before the others could share anything
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
	return s.enter(ctx, m.work(m.rest), func() error { return render(ctx, &m.picture.pixels) })
}
