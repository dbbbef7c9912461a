package server

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/fault"
)

// workers bounds how many pictures are at work at once and how many wait.
type workers struct {
	slots   chan struct{}
	queue   int64
	waiting atomic.Int64
}

func newWorkers(n, queue int) *workers {
	return &workers{slots: make(chan struct{}, n), queue: int64(queue)}
}

// acquire waits for a slot; release gives it back. fault.Overloaded when too many wait already,
// fault.Timeout or fault.Canceled when ctx ends first.
func (w *workers) acquire(ctx context.Context) (release func(), err error) {
	release = func() { <-w.slots }
	select {
	case w.slots <- struct{}{}:
		return release, nil
	default:
	}
	if w.waiting.Add(1) > w.queue {
		w.waiting.Add(-1)
		f := fault.New(fault.Overloaded, "too many pictures are waiting, try again later")
		f.RetryAfter = time.Second
		return nil, f
	}
	defer w.waiting.Add(-1)
	select {
	case w.slots <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

// ended tells a deadline from a client that went away.
func ended(ctx context.Context) error {
	if context.Cause(ctx) == context.DeadlineExceeded {
		return fault.New(fault.Timeout, "the picture took too long")
	}
	return fault.New(fault.Canceled, "the client went away")
}
