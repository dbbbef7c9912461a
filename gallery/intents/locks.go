package intents

import (
	"context"
	"sync"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Locks are in-memory locks of files and folders. Changes of the same path, or of a folder and something
// inside it, wait for each other. The zero value is ready for use.
type Locks struct {
	mu   sync.Mutex
	held map[*[]storage.Key]struct{}
	free chan struct{} // closed and replaced on each release
}

// Hold waits until no key, nothing inside it and no folder above it is locked, and then locks the keys. Call
// release once. It returns fault.Timeout if ctx ends first.
func (l *Locks) Hold(ctx context.Context, keys ...storage.Key) (release func(), err error) {
	for {
		l.mu.Lock()
		if l.held == nil {
			l.held, l.free = map[*[]storage.Key]struct{}{}, make(chan struct{})
		}
		if !l.taken(keys) {
			mine := &keys
			l.held[mine] = struct{}{}
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				delete(l.held, mine)
				close(l.free)
				l.free = make(chan struct{})
			}, nil
		}
		free := l.free
		l.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			return nil, fault.Wrap(ctx.Err(), fault.Timeout, "another change of %s takes too long", keys[0])
		}
	}
}

func (l *Locks) taken(keys []storage.Key) bool {
	for other := range l.held {
		for _, a := range *other {
			for _, b := range keys {
				if Overlap(a, b) {
					return true
				}
			}
		}
	}
	return false
}

// Overlap reports whether two paths are equal or one contains the other.
func Overlap(a, b storage.Key) bool { return a.Holds(b) || b.Holds(a) }
