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

// breaker is a circuit breaker: after breakerFailures calls in a row without a response, calls fail immediately for
// breakerPause. Then one call tries again: its result closes the breaker or opens it again. The zero value is closed.
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
		f := fault.Wrap(
			b.last, fault.Unavailable, "the last requests to the storage failed, try again in a few seconds",
		)
		f.RetryAfter = breakerPause
		return f
	}
	b.until = b.time().Add(breakerPause) // only this call tries again
	return nil
}

// record notes the result of a call: err is nil if the server responded, with any status. Errors of reading the data
// to send do not count, and neither do addresses that this program itself rejects.
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
