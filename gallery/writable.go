package gallery

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/storage"
)

const (
	writeInterval = time.Minute      // between tests while the storage accepts writes
	refusedPause  = 10 * time.Second // between tests while it refuses them
	firstPatience = 3 * time.Second  // how long Ready waits for the first test
	hungPatience  = 3 * time.Second  // how long run waits at its end for a test in progress
)

// storageWrites tests periodically whether the storage accepts writes.
type storageWrites struct {
	try     func(context.Context) error // storage.CheckWrite
	log     *slog.Logger
	first   atomic.Pointer[context.Context] // ends with the first test or after firstPatience; nil before start
	refused atomic.Pointer[error]           // why the storage refuses writes; nil if it accepts them
}

// err returns why the storage refuses writes; nil if it accepts them, or if that is not known.
func (w *storageWrites) err(ctx context.Context) error {
	if first := w.first.Load(); first != nil {
		select {
		case <-(*first).Done():
		case <-ctx.Done():
		}
	}
	if refused := w.refused.Load(); refused != nil {
		return *refused
	}
	return nil
}

// start tests writes in the background, one at a time, until ctx ends or stop is called. stop waits for a test in
// progress, but at most hungPatience. After start returns, err waits for the first test.
func (w *storageWrites) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	first, known := context.WithTimeout(context.Background(), firstPatience)
	w.first.Store(&first)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer known()
		w.run(ctx, known)
	}()
	return func() {
		cancel()
		<-done
	}
}

// run tests writes until ctx ends, and calls known after each test.
func (w *storageWrites) run(ctx context.Context, known func()) {
	for {
		done := make(chan error, 1)
		go func() { done <- w.try(ctx) }()
		select {
		case err := <-done:
			w.note(ctx, err)
			known()
		case <-ctx.Done():
			select {
			case <-done:
			case <-time.After(hungPatience):
			}
			return
		}

		pause := writeInterval
		if w.refused.Load() != nil {
			pause = refusedPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// note stores the result of a test. Errors that are not refusals, such as those of the network, change nothing.
func (w *storageWrites) note(ctx context.Context, err error) {
	before := w.refused.Load()
	switch {
	case storage.RefusesWrites(err):
		w.refused.Store(&err)
		if before == nil {
			w.log.ErrorContext(
				ctx, "the storage refuses writes: this server is not ready until it accepts them",
				"error", err,
			)
		}
	case err == nil:
		if before != nil {
			w.log.InfoContext(ctx, "the storage accepts writes again") // before anyone sees that the server is ready
		}
		w.refused.Store(nil)
	}
}
