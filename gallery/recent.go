package gallery

import (
	"sync"
	"time"
)

// recent is a value that callers share for a short time. The zero value is ready for use.
type recent[T any] struct {
	mu    sync.Mutex
	value T
	at    time.Time // zero: there is no value yet
}

// get returns the value if it is younger than age. Otherwise it calls read while other callers wait. Errors
// are not cached.
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
