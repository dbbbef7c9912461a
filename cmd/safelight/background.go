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

// pruneEvery is the interval of pruning the audit log.
const pruneEvery = 6 * time.Hour

// inBackground calls work with a context that ends with ctx or when stop is called. stop waits for it, so that the
// database can be closed.
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

// once is inBackground for work that one of the servers on the database does.
func (at *site) once(ctx context.Context, name string, work func(context.Context)) (stop func()) {
	return inBackground(ctx, func(ctx context.Context) { at.Leases.Run(ctx, name, work) })
}

// keepFiles does the work in the background that belongs to a storage: it purges expired items of the trash, removes
// abandoned uploads, and keeps the index in sync.
func (at *site) keepFiles(ctx context.Context, f *files.Files) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	stops := []func(){at.once(ctx, "trash", f.Gallery.KeepTrash), at.once(ctx, "uploads", f.Uploads.KeepUploads),
		at.keepIndex(ctx, f)}
	return func() {
		cancel()
		for _, stop := range stops {
			stop()
		}
	}
}

// pruneAudit prunes events older than the setting audit-retention.
func (at *site) pruneAudit(ctx context.Context, log *slog.Logger) (stop func()) {
	if at.Settings.AuditRetention == 0 {
		return func() {}
	}
	return at.once(operator(ctx), "audit", func(ctx context.Context) {
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

func (at *site) keepIndex(ctx context.Context, f *files.Files) (stop func()) {
	// half of the cores: requests have priority
	c := gallery.RunConfig{ScanInterval: at.Settings.Index.ScanInterval, MetadataWorkers: max(1,
		runtime.GOMAXPROCS(0)/2), Second: f.Second(), Once: at.Leases.Run}
	if at.fleet != nil {
		c.Notices = at.fleet.bus
	}
	return inBackground(ctx, func(ctx context.Context) { f.Gallery.Run(ctx, c) })
}

// keepTime keeps the time of the servers on a database.
func (at *site) keepTime(ctx context.Context, log *slog.Logger) (stop func()) {
	if at.Dialect != dialect.Postgres {
		return func() {}
	}
	return inBackground(ctx, func(ctx context.Context) { at.Clock.Run(ctx, at.DB, log) })
}

// localClockKey is the key of the clock of this computer in a context; time.Now without one. Tests set it wrong.
type localClockKey struct{}

func localClock(ctx context.Context) func() time.Time {
	now, _ := ctx.Value(localClockKey{}).(func() time.Time)
	return now
}

// inTurn is the engine of the index, of uploads and of template previews. Each job first waits for its turn among the
// requests for pictures. Set takeTurn before the first job.
type inTurn struct {
	imaging.Engine
	takeTurn func(
		ctx context.Context, engine imaging.Engine, src imaging.Source, ops imaging.Operations, limits imaging.Limits,
		describe bool,
	) (release func(), err error)
}

// Process implements imaging.Engine.
func (e *inTurn) Process(
	ctx context.Context, src imaging.Source, ops imaging.Operations, limits imaging.Limits,
) (*imaging.Result, error) {
	release, err := e.takeTurn(ctx, e.Engine, src, ops, limits, false)
	if err != nil {
		return nil, err
	}
	defer release()
	return e.Engine.Process(ctx, src, ops, limits)
}

// Info implements imaging.Engine.
func (e *inTurn) Info(
	ctx context.Context, src imaging.Source, req imaging.InfoRequest, limits imaging.Limits,
) (*imaging.Info, error) {
	release, err := e.takeTurn(ctx, e.Engine, src, req.Operations, limits, true)
	if err != nil {
		return nil, err
	}
	defer release()
	return e.Engine.Info(ctx, src, req, limits)
}
