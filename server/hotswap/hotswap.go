// Package hotswap replaces a value while others use it. New users get the new value at once; the old one is idle when
// its last user has left.
package hotswap

import (
	"context"
	"sync"
	"sync/atomic"
)

// Value is a value that can be replaced. Create it with New. It is safe for concurrent use.
type Value[T any] struct{ at atomic.Pointer[Held[T]] }

// Held is a value, with those who use it.
type Held[T any] struct {
	Value    T
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
	return &Held[T]{Value: v, replaced: make(chan struct{}), idle: make(chan struct{})}
}

// Hold returns the present value, which is not idle until Release.
func (c *Value[T]) Hold() *Held[T] {
	for {
		h := c.at.Load()
		h.users.Add(1)
		if c.at.Load() == h {
			return h
		}
		h.Release() // it was replaced meanwhile, and may be idle already
	}
}

// Replace makes v the present value and returns the one before.
func (c *Value[T]) Replace(v T) *Held[T] {
	before := c.at.Swap(held(v))
	close(before.replaced)
	before.check()
	return before
}

// Again holds a value that is held already once more: a stream, say, outlives its request.
func (h *Held[T]) Again() { h.users.Add(1) }

// Release ends a Hold.
func (h *Held[T]) Release() {
	h.users.Add(-1)
	h.check()
}

// check closes idle if the value was replaced and has no users.
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

// Replaced is closed once another value is the present one.
func (h *Held[T]) Replaced() <-chan struct{} { return h.replaced }

// Idle is closed when the value was replaced and its last user has left.
func (h *Held[T]) Idle() <-chan struct{} { return h.idle }

type key[T any] struct{}

// With returns a context that carries a held value.
func (h *Held[T]) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, key[T]{}, h)
}

// From returns the value that a context carries; nil if it carries none.
func From[T any](ctx context.Context) *Held[T] {
	h, _ := ctx.Value(key[T]{}).(*Held[T])
	return h
}
