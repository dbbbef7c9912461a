// Package lazycontext is a context with a deadline that costs nothing unless somebody waits for it.
package lazycontext

import (
	"context"
	"sync"
	"time"
)

// lazyContext is a context with a deadline that starts its timer and its watcher on the first call of Done: a cache hit needs
// neither.
type lazyContext struct {
	context.Context // the parent
	deadline        time.Time
	begin           func(context.CancelFunc) (stop func())

	mu     sync.Mutex
	real   context.Context // nil until Done is called
	cancel context.CancelFunc
	stop   func()
	over   bool
}

// New returns a context that ends after the timeout or with stop, which the caller must call. begin starts a watcher
// that may cancel the context, and returns the function that stops it; it may be nil.
func New(parent context.Context, timeout time.Duration, begin func(context.CancelFunc) func()) (ctx context.Context, stop func()) {
	l := &lazyContext{Context: parent, deadline: time.Now().Add(timeout), begin: begin}
	return l, l.finish
}

func (l *lazyContext) start() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.real == nil {
		l.real, l.cancel = context.WithDeadline(l.Context, l.deadline)
		l.stop = func() {}
		if l.over {
			l.cancel()
		} else if l.begin != nil {
			l.stop = l.begin(l.cancel)
		}
	}
	return l.real
}

func (l *lazyContext) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over = true
	if l.real != nil {
		l.cancel()
		l.stop()
	}
}

// Deadline implements context.Context.
func (l *lazyContext) Deadline() (time.Time, bool) {
	if d, ok := l.Context.Deadline(); ok && d.Before(l.deadline) {
		return d, true
	}
	return l.deadline, true
}

// Done implements context.Context.
func (l *lazyContext) Done() <-chan struct{} { return l.start().Done() }

// Err implements context.Context.
func (l *lazyContext) Err() error {
	l.mu.Lock()
	real, over := l.real, l.over
	l.mu.Unlock()
	switch {
	case real != nil:
		return real.Err()
	case l.Context.Err() != nil:
		return l.Context.Err()
	case !time.Now().Before(l.deadline):
		return context.DeadlineExceeded
	case over:
		return context.Canceled
	}
	return nil
}

// Value implements context.Context; child contexts find the started one through it.
func (l *lazyContext) Value(key any) any {
	l.mu.Lock()
	real := l.real
	l.mu.Unlock()
	if real != nil {
		return real.Value(key)
	}
	return l.Context.Value(key)
}
