package gallery

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/storage"
)

const (
	writeInterval = time.Minute      // between tries of a storage that takes writes
	refusedPause  = 10 * time.Second // between tries of one that refuses them
	firstPatience = 3 * time.Second  // for which Ready waits for the first try
	hungPatience  = 3 * time.Second  // for which the end of run waits for a try
)

// storageWrites tries from time to time whether the storage takes writes.
type storageWrites struct {
	try     func(context.Context) error // storage.CheckWrite
	log     *slog.Logger
	first   atomic.Pointer[context.Context] // ends with the first try, or when it was waited for long enough; nil before run
	refused atomic.Pointer[error]           // why the storage refuses writes; nil if it takes them
}

// err returns why the storage refuses writes; nil if it takes them, or if that is not known.
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

// run tries until ctx ends. A try that hangs in the kernel is the only one, and is left behind at the end.
func (w *storageWrites) run(ctx context.Context) {
	first, known := context.WithTimeout(context.Background(), firstPatience)
	defer known()
	w.first.Store(&first)
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

// note keeps the result of a try. What says nothing about rights, such as an error of the network, changes nothing.
func (w *storageWrites) note(ctx context.Context, err error) {
	before := w.refused.Load()
	switch {
	case storage.RefusesWrites(err):
		w.refused.Store(&err)
		if before == nil {
			w.log.ErrorContext(ctx, "the storage refuses writes: this server is not ready until it takes them", "error", err)
		}
	case err == nil:
		w.refused.Store(nil)
		if before != nil {
			w.log.InfoContext(ctx, "the storage takes writes again")
		}
	}
}
