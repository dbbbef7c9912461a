// Package hotswap replaces a value while it is in use. New users get the new value at once. The old one becomes idle
// when its last user has released it.
package hotswap

import (
	"context"
	"sync"
	"sync/atomic"
)

// Value is a value that can be replaced. Create it with New. It is safe for concurrent use.
type Value[T any] struct{ at atomic.Pointer[Held[T]] }

// Held is a value with a count of its users.
type Held[T any] struct {
	Value    T
	context  context.Context // carries this
	users    atomic.Int64
	replaced chan struct{}
	idle     chan struct{}
	once     sync.Once
}

// New returns a value.
func New[T any](v T) *Value[T] {
	c := &Value[T]{}
	c.at.Store(held(v))
	return c
}

func held[T any](v T) *Held[T] {
	h := &Held[T]{Value: v, replaced: make(chan struct{}), idle: make(chan struct{})}
	h.context = h.With(context.Background())
	return h
}

// Hold returns the current value, which cannot become idle before Release.
func (c *Value[T]) Hold() *Held[T] {
	for {
		h := c.at.Load()
		h.users.Add(1)
		if c.at.Load() == h {
			return h
		}
		h.Release() // it was replaced in the meantime, and may already be idle
	}
}

// Replace makes v the current value and returns the previous value.
func (c *Value[T]) Replace(v T) *Held[T] {
	before := c.at.Swap(held(v))
	close(before.replaced)
	before.check()
	return before
}

// Again adds a user of a value that is already held, for example for a stream that outlives its request.
func (h *Held[T]) Again() { h.users.Add(1) }

// Release ends a Hold or an Again.
func (h *Held[T]) Release() {
	h.users.Add(-1)
	h.check()
}

// check closes idle if the value has been replaced and has no users.
func (h *Held[T]) check() {
	if h.users.Load() > 0 {
		return
	}
	select {
	case <-h.replaced:
		h.once.Do(func() { close(h.idle) })
	default:
	}
}

// Replaced returns a channel that closes when the value is replaced.
func (h *Held[T]) Replaced() <-chan struct{} { return h.replaced }

// Idle returns a channel that closes when the value has been replaced and its last user has released it.
func (h *Held[T]) Idle() <-chan struct{} { return h.idle }

type key[T any] struct{}

// With returns a context that carries a held value.
func (h *Held[T]) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, key[T]{}, h)
}

// Context returns a context that carries a held value and never ends. It is always the same context.
func (h *Held[T]) Context() context.Context { return h.context }

// From returns the held value in ctx; nil if there is none.
func From[T any](ctx context.Context) *Held[T] {
	h, _ := ctx.Value(key[T]{}).(*Held[T])
	return h
}
