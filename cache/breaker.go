package cache

import (
	"log/slog"
	"sync"
	"time"
)

// breakerTimeout is how long a circuit breaker stays open after a failure.
const breakerTimeout = 5 * time.Second

// breaker is a circuit breaker: after a failure, the tier is skipped for breakerTimeout. It logs when the tier fails
// and when it works again.
type breaker struct {
	log  *slog.Logger
	what string // name of the tier, in the plural
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

// trip opens the breaker.
func (b *breaker) trip(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = b.now().Add(breakerTimeout)
	if !b.failed {
		b.failed = true
		b.log.Warn(b.what+" fail; pictures are served without them, with a retry every few seconds", "error", err)
	}
}

// reset closes the breaker after a success.
func (b *breaker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed {
		b.failed = false
		b.log.Info(b.what + " work again")
	}
}
