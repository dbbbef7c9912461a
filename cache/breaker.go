package cache

import (
	"log/slog"
	"sync"
	"time"
)

// breakerTimeout is how long a tier that failed is left alone.
const breakerTimeout = 5 * time.Second

// pause keeps a tier that fails from being asked again and again; it is logged once when it begins and
// once when it is over.
type breaker struct {
	log  *slog.Logger
	what string
	now  func() time.Time

	mu     sync.Mutex
	until  time.Time
	failed bool
}

func (b *breaker) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed && b.now().Before(b.until)
}

func (b *breaker) trip(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = b.now().Add(breakerTimeout)
	if !b.failed {
		b.failed = true
		b.log.Warn(b.what+" fail; pictures are served without, and it is tried again every few seconds", "error", err)
	}
}

func (b *breaker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed {
		b.failed = false
		b.log.Info(b.what + " work again")
	}
}
