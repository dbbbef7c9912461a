package cache

import (
	"context"
	"sync"
)

// SingleFlight shares work: one run per key at a time, however many want its outcome. The zero value is ready.
type SingleFlight[K comparable, V any] struct {
	mu      sync.Mutex
	running map[K]*flight[V]
}

// flight is work under way. value and err are set before done is closed.
type flight[V any] struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	value   V
	err     error
}

// Do returns what work returns, or what the run for key that is under way will; shared says which. Work gets
// the values of the first caller's ctx, not its end: a caller whose ctx ends gets ctx.Err() and leaves the
// others waiting, and the last to leave ends the work. Work must not panic.
func (s *SingleFlight[K, V]) Do(ctx context.Context, key K, work func(context.Context) (V, error)) (v V, shared bool, err error) {
	f, shared := s.join(ctx, key, work)
	select {
	case <-f.done:
		return f.value, shared, f.err
	case <-ctx.Done():
		s.leave(key, f)
		return v, shared, ctx.Err()
	}
}

func (s *SingleFlight[K, V]) join(ctx context.Context, key K, work func(context.Context) (V, error)) (f *flight[V], shared bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f = s.running[key]; f != nil {
		f.waiting++
		return f, true
	}
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f = &flight[V]{waiting: 1, cancel: cancel, done: make(chan struct{})}
	if s.running == nil {
		s.running = map[K]*flight[V]{}
	}
	s.running[key] = f
	go func() {
		f.value, f.err = work(base)
		s.mu.Lock()
		s.remove(key, f)
		s.mu.Unlock()
		close(f.done)
	}()
	return f, false
}

func (s *SingleFlight[K, V]) leave(key K, f *flight[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		s.remove(key, f)
	}
}

// remove ends f, and makes room for another unless that was taken; the caller holds mu.
func (s *SingleFlight[K, V]) remove(key K, f *flight[V]) {
	if s.running[key] == f {
		delete(s.running, key)
	}
	f.cancel()
}

// Len returns how many runs are under way.
func (s *SingleFlight[K, V]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running)
}
