package remote

import (
	"context"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// flights shares downloads: one per key at a time, however many callers want it.
type flights struct {
	timeout time.Duration
	mu      sync.Mutex
	closed  bool
	running map[string]*flight
	all     sync.WaitGroup
}

// flight is a download under way. Its object and err are set before done is closed.
type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	object  *Object
	err     error
}

type work func(context.Context) (*Object, error)

func newFlights(timeout time.Duration) *flights {
	return &flights{timeout: timeout, running: map[string]*flight{}}
}

// do returns what w returns, or what a call for key that is under way will. A caller whose ctx
// ends gets its error and leaves the others waiting; the last to leave ends the work.
func (s *flights) do(ctx context.Context, key string, w work) (*Object, error) {
	fl, err := s.join(key, w)
	if err != nil {
		return nil, err
	}
	select {
	case <-fl.done:
		return fl.object, fl.err
	case <-ctx.Done():
		s.leave(key, fl)
		return nil, ctx.Err()
	}
}

func (s *flights) join(key string, w work) (*flight, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed()
	}
	if fl := s.running[key]; fl != nil {
		fl.waiting++
		return fl, nil
	}
	// Not the caller's context: the others' pictures do not depend on its patience.
	base, cancel := context.WithCancel(context.Background())
	fl := &flight{waiting: 1, cancel: cancel, done: make(chan struct{})}
	s.running[key] = fl
	s.all.Go(func() {
		ctx, stop := context.WithTimeout(base, s.timeout)
		defer stop()
		fl.object, fl.err = w(ctx)
		s.land(key, fl)
	})
	return fl, nil
}

func (s *flights) land(key string, fl *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(key, fl)
	if s.closed && fl.err != nil {
		fl.err = errClosed()
	}
	close(fl.done)
}

func (s *flights) leave(key string, fl *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fl.waiting--; fl.waiting == 0 {
		s.forget(key, fl)
	}
}

// forget ends fl, and makes room for another unless it has been taken; the caller holds mu.
func (s *flights) forget(key string, fl *flight) {
	if s.running[key] == fl {
		delete(s.running, key)
	}
	fl.cancel()
}

// close ends everything that is under way, waits for it, and refuses what comes.
func (s *flights) close() {
	s.mu.Lock()
	s.closed = true
	for key, fl := range s.running {
		s.forget(key, fl)
	}
	s.mu.Unlock()
	s.all.Wait()
}

func errClosed() error { return fault.New(fault.Unavailable, "fetching pictures has been stopped") }
