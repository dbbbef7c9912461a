// Package singleflight runs work once for all concurrent callers that want the same key. Unlike with
// golang.org/x/sync/singleflight, a caller can leave before the work is done, and the work is canceled when the last
// caller leaves.
package singleflight

import (
	"context"
	"sync"
)

// Group shares runs by key. The zero value is ready. Its methods are safe for concurrent use.
type Group[K comparable, V any] struct {
	mu    sync.Mutex
	calls map[K]*call[V]
}

// call is one run. value and err are set before done is closed.
type call[V any] struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	value   V
	err     error
}

// Do returns the result of work, or of the run that is in progress for key; shared is true for the latter. The context
// of work has the values of the first caller's ctx, but not its deadline or cancellation. A caller whose ctx ends gets
// ctx.Err(), while the others continue to wait. When the last caller leaves, the context of work is canceled. Work
// must not panic.
func (g *Group[K, V]) Do(
	ctx context.Context, key K, work func(context.Context) (V, error),
) (v V, shared bool, err error) {
	c, shared := g.join(ctx, key, work)
	select {
	case <-c.done:
		return c.value, shared, c.err
	case <-ctx.Done():
		g.leave(key, c)
		return v, shared, ctx.Err()
	}
}

// join returns the run of key, and starts it if there is none.
func (g *Group[K, V]) join(
	ctx context.Context, key K, work func(context.Context) (V, error),
) (c *call[V], shared bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c = g.calls[key]; c != nil {
		c.waiting++
		return c, true
	}
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c = &call[V]{waiting: 1, cancel: cancel, done: make(chan struct{})}
	if g.calls == nil {
		g.calls = map[K]*call[V]{}
	}
	g.calls[key] = c
	go func() {
		v, err := work(base)
		g.mu.Lock()
		defer g.mu.Unlock()
		c.value, c.err = v, err
		g.end(key, c)
		close(c.done)
	}()
	return c, false
}

func (g *Group[K, V]) leave(key K, c *call[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.waiting--; c.waiting == 0 {
		g.end(key, c)
	}
}

// end cancels c and removes it, unless a newer run has replaced it. The caller holds mu.
func (g *Group[K, V]) end(key K, c *call[V]) {
	if g.calls[key] == c {
		delete(g.calls, key)
	}
	c.cancel()
}

// Waiting returns the number of callers that wait for a run.
func (g *Group[K, V]) Waiting() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.calls {
		n += c.waiting
	}
	return n
}
