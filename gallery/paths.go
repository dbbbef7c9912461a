package gallery

import (
	"context"
	"sync"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// paths are the files and folders that something is being done to: two changes of one path, or of a folder and
// what lies in it, wait for each other.
type paths struct {
	mu   sync.Mutex
	held map[*[]storage.Key]struct{}
	free chan struct{} // closed and made again when something is released
}

// hold waits until nobody holds any of keys, what lies in them or what they lie in. release must be called once.
func (p *paths) hold(ctx context.Context, keys ...storage.Key) (release func(), err error) {
	for {
		p.mu.Lock()
		if p.held == nil {
			p.held, p.free = map[*[]storage.Key]struct{}{}, make(chan struct{})
		}
		if !p.taken(keys) {
			mine := &keys
			p.held[mine] = struct{}{}
			p.mu.Unlock()
			return func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.held, mine)
				close(p.free)
				p.free = make(chan struct{})
			}, nil
		}
		free := p.free
		p.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			return nil, fault.Wrap(ctx.Err(), fault.Timeout, "another change of %s takes too long", keys[0])
		}
	}
}

func (p *paths) taken(keys []storage.Key) bool {
	for other := range p.held {
		for _, a := range *other {
			for _, b := range keys {
				if a.Holds(b) || b.Holds(a) {
					return true
				}
			}
		}
	}
	return false
}
