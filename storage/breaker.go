package storage

import (
	"errors"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

const (
	breakerFailures = 3
	breakerPause    = 2 * time.Second
)

// breaker is a circuit breaker: after breakerFailures calls in a row that found no answer, calls fail at once for
// breakerPause; then one call tries again, and decides. The zero value is closed.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time
	last     error
	now      func() time.Time // nil: time.Now
}

func (b *breaker) time() time.Time {
	if b.now != nil {
		return b.now()
	}
	return time.Now()
}

// check returns fault.Unavailable while the breaker is open.
func (b *breaker) check() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < breakerFailures {
		return nil
	}
	if left := b.until.Sub(b.time()); left > 0 {
		f := fault.Wrap(b.last, fault.Unavailable, "the storage did not answer a moment ago, try again in some seconds")
		f.RetryAfter = breakerPause
		return f
	}
	b.until = b.time().Add(breakerPause) // this call alone tries
	return nil
}

// record notes how a call ended: err is nil if the server answered, whatever it said. An error while reading
// the data to send does not count, nor does an address that we reject ourselves.
func (b *breaker) record(err error) {
	if errors.As(err, new(sourceError)) || fault.CodeOf(err) == fault.Invalid {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.failures = 0
		return
	}
	b.failures++
	b.until, b.last = b.time().Add(breakerPause), err
}
