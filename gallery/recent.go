package gallery

import (
	"sync"
	"time"
)

// recent is a value that callers share while it is new. The zero value is ready for use.
type recent[T any] struct {
	mu    sync.Mutex
	value T
	at    time.Time // zero: there is no value yet
}

// get returns the value if it is not as old as age, or else that of read, while other callers wait. An error is not
// kept.
func (r *recent[T]) get(age time.Duration, read func() (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.at.IsZero() && time.Since(r.at) < age {
		return r.value, nil
	}
	value, err := read()
	if err != nil {
		return value, err
	}
	r.value, r.at = value, time.Now()
	return value, nil
}
