package files

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/storageconfig"
)

// isOutdated reports whether another storage was chosen, or the same storage with other keys.
func (f *Files) isOutdated(ctx context.Context, d Deps) (bool, error) {
	if f.epoch == nil {
		return false, nil
	}
	present, err := storageconfig.ReadEpoch(ctx, d.DB, nil)
	if err != nil || !present.Is(f.epoch) {
		return err == nil, err
	}
	return f.Backend.Pending(ctx)
}

// start starts the background work. stopTests stops the tests of writes, which began before the first request.
func (f *Files) start(w Work, stopTests func()) {
	stopWork := w.Start(f)
	f.stop = func() {
		stopWork()
		stopTests()
	}
	close(f.started)
}

// end stops the background work and the tests of writes. Further calls do nothing.
func (f *Files) end() {
	<-f.started
	f.ended.Do(func() { f.stop() })
}

// replace opens the chosen storage and makes the server use it. After an error, nothing has changed.
func (l *Live) replace(before *Files) error {
	next, err := open(l.ctx, l.config, l.deps, l)
	if err != nil {
		return unusable(err)
	}
	stopTests := next.Gallery.TestWrites(l.ctx)
	idle, err := l.work.Serve(next)
	if err != nil {
		stopTests()
		return unusable(errors.Join(err, next.Close()))
	}
	l.current.Store(next)
	l.deps.Log.InfoContext(l.ctx, "the storage was replaced", "before", before.place, "now", next.place)
	work := l.work
	l.retired.Go(func() {
		before.end() // stop first, so that only one scan runs at a time
		next.start(work, stopTests)
	})
	l.retired.Go(func() { l.retire(before, idle) })
	return nil
}

// retire closes files when no request uses them any more, or after drainTime.
func (l *Live) retire(f *Files, idle <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.ctx)) // requests may continue after l.ctx ends
	var keeping sync.WaitGroup
	keeping.Go(func() { f.Gallery.KeepChanges(ctx) })
	late := time.NewTimer(drainTime)
	defer late.Stop()
	select {
	case <-idle:
	case <-l.closing:
	case <-late.C:
		l.deps.Log.WarnContext(
			l.ctx, "the previous storage is closed, although requests still use it", "after", drainTime,
		)
	}
	cancel()
	keeping.Wait()
	f.end()
	if err := f.Close(); err != nil {
		l.deps.Log.WarnContext(l.ctx, "closing the previous storage failed", "error", err)
	}
}

// unusable returns fault.Unavailable with the message of err.
func unusable(err error) error {
	why := fault.Of(err)
	if why.Code == fault.Internal {
		return fault.Wrap(err, fault.Unavailable, "the storage that was chosen cannot be opened")
	}
	return fault.Wrap(err, fault.Unavailable, "the storage that was chosen cannot be used: %s", why.Message)
}
