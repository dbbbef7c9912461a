package auth

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// Limiter bounds how often something may be tried in a time. It is safe for concurrent use and keeps
// a bounded number of keys.
type Limiter struct {
	most   int
	window time.Duration
	now    func() time.Time

	mu     sync.Mutex
	seen   map[limitKey][]time.Time
	purged time.Time
}

// limitKey is the hash of a key: names come from callers and may be long.
type limitKey [16]byte

// maxLimited is how many keys are remembered. Beyond it new keys are refused for the moment: someone
// is trying names by the ten thousand.
const maxLimited = 100_000

// NewLimiter returns a limiter of most attempts a key within window; now is nil for time.Now.
func NewLimiter(most int, window time.Duration, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	return &Limiter{most: most, window: window, now: now, seen: make(map[limitKey][]time.Time)}
}

// Allow counts an attempt of that name. It returns fault.RateLimited with RetryAfter set when there were
// too many within the window; a refused attempt does not count.
func (l *Limiter) Allow(name string) error {
	sum := sha256.Sum256([]byte(name))
	key := limitKey(sum[:16])
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	times, known := l.seen[key]
	for len(times) > 0 && now.Sub(times[0]) >= l.window {
		times = times[1:]
	}
	if !known && len(l.seen) >= maxLimited {
		l.purge(now)
	}
	if len(times) >= l.most || !known && len(l.seen) >= maxLimited {
		wait := l.window
		if len(times) > 0 {
			wait = l.window - now.Sub(times[0])
		}
		f := fault.New(fault.RateLimited, "too many attempts, try again later")
		f.RetryAfter = wait
		return f
	}
	l.seen[key] = append(append(make([]time.Time, 0, len(times)+1), times...), now)
	return nil
}

// purge forgets who has waited long enough. It looks at everyone, so it does so now and then only.
func (l *Limiter) purge(now time.Time) {
	if since := now.Sub(l.purged); since >= 0 && since < l.window/20 {
		return
	}
	l.purged = now
	for key, times := range l.seen {
		if now.Sub(times[len(times)-1]) >= l.window {
			delete(l.seen, key)
		}
	}
}
