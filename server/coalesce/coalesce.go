// Package coalesce decodes a source once for several results that are wanted at the same time. No request waits so that
// others can join it. Three kinds of requests join a decode: those that wait in the queue when its turn comes, those
// that arrive while it runs, and, during its first quarter, those that need the source at another scale, for which the
// decode begins again (docs/decisions/0059).
//
// Do is the entry point (coalesce.go); join.go says who decodes together, decode.go decodes and hands out what was
// decoded.
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

// Bounds of a group.
const (
	maxMembers = 16
	maxTries   = 3 // of one result to take part in a decode, before it is made alone
)

// Coalescer makes results, together where that is possible. Its methods are safe for concurrent use. Make it with New.
type Coalescer struct {
	work    *admission.Controller
	decoder imaging.Decoder // nil: nothing is shared

	mu      sync.Mutex
	sources map[string]*source
	stats   Stats
}

// Stats count since the start.
type Stats struct {
	Decodes uint64 // that served several results
	Results uint64 // that were made from them
	Again   uint64 // decodes that began again for others
}

// New returns a Coalescer of an engine. If the engine is no imaging.Decoder, each result is made alone.
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

// Request is a result that is wanted.
type Request struct {
	Source imaging.Source // open, with a Version
	Limits imaging.Limits
	Plan   imaging.Plan // zero where there is none
	Cost   imaging.Cost // of the plan
	Alone  bool         // its version may not name its bytes
	Client string       // who asks, see admission.Work; the one who decodes for others is charged for it
}

// Render makes a result, of these pixels unless they are nil. It may be canceled and called again.
type Render func(ctx context.Context, pixels *imaging.Pixels) error

// Do waits until the result may be made, and calls render. The errors are those of admission.Controller.Enter, of the
// engine's Decode, and of render.
func (s *Coalescer) Do(ctx context.Context, r Request, render Render) error {
	m := &member{request: r}
	if s.decoder != nil && isShareable(r) {
		m.rest = cost.Rest(r.Plan)
		for range maxTries {
			if err := s.try(ctx, m, render); err != errAgain {
				return err
			}
		}
	}
	return s.enter(ctx, m.work(r.Cost), func() error { return render(ctx, nil) })
}

// enter calls do in a slot.
func (s *Coalescer) enter(ctx context.Context, w admission.Work, do func() error) error {
	release, err := s.work.Enter(ctx, w)
	if err != nil {
		return err
	}
	defer release()
	return do()
}

// errAgain reports that a decode did not take place: the member is free to join another.
var errAgain = errors.New("no decode took place")

// errJoined is the cause of a context whose work begins again with others.
var errJoined = errors.New("others have joined")

// try makes the result, or returns errAgain.
func (s *Coalescer) try(ctx context.Context, m *member, render Render) error {
	work := m.work(m.request.Cost)
	if m.arrived.IsZero() {
		m.arrived = time.Now()
	}
	defer s.quit(m)
	if d := s.join(ctx, m); d != nil {
		return s.follow(ctx, m, d, render)
	}
	work.Taken = m.taken
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
		return s.head(ctx, m, d, render)
	})
	if err == admission.ErrTaken {
		return s.follow(ctx, m, s.decodeOf(m), render)
	}
	return err
}

// alone makes the result of a member that no other has joined. d is the decode that it leads if somebody does
// meanwhile; else err is that of render.
func (s *Coalescer) alone(ctx context.Context, m *member, render Render) (d *decode, err error) {
	run, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	s.begin(m, interrupt)
	err = render(run, nil)
	if d = s.end(m); d == nil || err != nil && fault.CodeOf(err) == fault.Canceled {
		return d, err
	}
	s.finish(d, errAgain) // the result was there before anybody could join
	return nil, err
}

// head decodes for the member and those that have joined it, and makes the member's result.
func (s *Coalescer) head(ctx context.Context, m *member, d *decode, render Render) error {
	stays := context.AfterFunc(ctx, func() { s.leave(m) }) // the decode goes on for the others
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

// follow makes the member's result of the pixels that another one decodes.
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
