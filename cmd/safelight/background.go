package main

import (
	"context"
	"log/slog"
	"runtime"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/cmd/safelight/files"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/imaging"
)

// pruneEvery is the interval at which the audit log is pruned.
const pruneEvery = 6 * time.Hour

// inBackground calls work in a goroutine, with a context that ends with ctx or when stop is called. stop waits for work
// to return, so that the database can be closed.
func inBackground(ctx context.Context, work func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// onOneServer is inBackground for work that only one server on the database may do at a time.
func (at *site) onOneServer(ctx context.Context, name string, work func(context.Context)) (stop func()) {
	return inBackground(ctx, func(ctx context.Context) { at.Leases.Run(ctx, name, work) })
}

// maintainFiles starts the background work of a storage: it purges expired items from the trash, removes abandoned
// uploads, and keeps the index in sync.
func (at *site) maintainFiles(ctx context.Context, f *files.Files) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	stops := []func(){
		at.onOneServer(ctx, "trash", f.Gallery.MaintainTrash),
		at.onOneServer(ctx, "uploads", f.Uploads.MaintainUploads),
		at.maintainIndex(ctx, f),
	}
	return func() {
		cancel()
		for _, stop := range stops {
			stop()
		}
	}
}

// pruneAudit deletes events that are older than the setting audit-retention from the audit log.
func (at *site) pruneAudit(ctx context.Context, log *slog.Logger) (stop func()) {
	if at.Settings.AuditRetention == 0 {
		return func() {}
	}
	return at.onOneServer(operator(ctx), "audit", func(ctx context.Context) {
		tick := time.NewTicker(pruneEvery)
		defer tick.Stop()
		for {
			if gone, err := at.Audit.Prune(ctx, at.Settings.AuditRetention); err != nil && ctx.Err() == nil {
				log.Error("the audit log could not be pruned", "error", err)
			} else if gone > 0 {
				log.Info("the audit log was pruned", "events", gone)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
}

func (at *site) maintainIndex(ctx context.Context, f *files.Files) (stop func()) {
	// Half of the cores, because requests have priority.
	c := gallery.RunConfig{ScanInterval: at.Settings.Index.ScanInterval, MetadataWorkers: max(1,
		runtime.GOMAXPROCS(0)/2), Second: f.IsReplacement(), Once: at.Leases.Run}
	if at.fleet != nil {
		c.Notices = at.fleet.bus
	}
	return inBackground(ctx, func(ctx context.Context) { f.Gallery.Run(ctx, c) })
}

// syncClock keeps the clocks of all servers on a database in agreement.
func (at *site) syncClock(ctx context.Context, log *slog.Logger) (stop func()) {
	if at.Dialect != dialect.Postgres {
		return func() {}
	}
	return inBackground(ctx, func(ctx context.Context) { at.Clock.Run(ctx, at.DB, log) })
}

// localClockKey is the context key of a clock that replaces time.Now. Tests use it to set a wrong clock.
type localClockKey struct{}

func localClock(ctx context.Context) func() time.Time {
	now, _ := ctx.Value(localClockKey{}).(func() time.Time)
	return now
}

// queuedEngine is the engine of the index, of uploads and of template previews. Each job first waits in the same queue
// as requests for pictures. admit must be set before the first job.
type queuedEngine struct {
	imaging.Engine
	admit func(
		ctx context.Context, engine imaging.Engine, src imaging.Source, ops imaging.Operations, limits imaging.Limits,
		describe bool,
	) (release func(), err error)
}

// Process implements imaging.Engine.
func (e *queuedEngine) Process(
	ctx context.Context, src imaging.Source, ops imaging.Operations, limits imaging.Limits,
) (*imaging.Result, error) {
	release, err := e.admit(ctx, e.Engine, src, ops, limits, false)
	if err != nil {
		return nil, err
	}
	defer release()
	return e.Engine.Process(ctx, src, ops, limits)
}

// Info implements imaging.Engine.
func (e *queuedEngine) Info(
	ctx context.Context, src imaging.Source, req imaging.InfoRequest, limits imaging.Limits,
) (*imaging.Info, error) {
	release, err := e.admit(ctx, e.Engine, src, req.Operations, limits, true)
	if err != nil {
		return nil, err
	}
	defer release()
	return e.Engine.Info(ctx, src, req, limits)
}
