package gallery

import (
	"context"
	"sync"
	"time"

	"github.com/safelight/safelight/gallery/feed"
	"github.com/safelight/safelight/gallery/intents"
	"github.com/safelight/safelight/storage"
)

// RunConfig configures the work in the background.
type RunConfig struct {
	ScanInterval    time.Duration // between scans of everything; 0: only requested scans
	MetadataWorkers int           // pictures that are analyzed concurrently; 0: none
	Second          bool          // another gallery of this process may still be making changes
	Notices         feed.Notices  // from the other servers on the same database; nil: there are no other servers
	// Once calls work while this server holds the lease called name, until ctx ends. nil: this server is the
	// only one, and work is called directly.
	Once func(ctx context.Context, name string, work func(context.Context))
}

// Run keeps the index in sync with the storage until ctx ends: it heals changes that a crash interrupted, scans, and
// analyzes pictures. Call it once.
func (g *Gallery) Run(ctx context.Context, c RunConfig) {
	if c.Once == nil {
		c.Once = func(ctx context.Context, _ string, work func(context.Context)) { work(ctx) }
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { g.KeepChanges(ctx) }) // runs concurrently with healing, which may take long
	before := g.config.Now().Add(-intents.Timeout)
	if !g.db.IsPostgres() && !c.Second {
		before = g.config.Now() // only one process uses a SQLite file, so all other processes have ended
	}
	if err := g.Heal(ctx, before); err != nil && ctx.Err() == nil {
		g.log.WarnContext(ctx, "completing the changes that a crash interrupted", "error", err)
	}
	if err := g.index.adoptPDF(ctx); err != nil && ctx.Err() == nil {
		g.log.WarnContext(ctx, "queueing PDFs for analysis", "error", err)
	}
	for _, m := range storage.Mounts(g.store) {
		if m.Watched {
			continue
		}
		// the listings of a bucket do not reveal changes that were made while the server was down
		if err := g.index.invalidate(ctx, g.db.Client, m.Name); err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "marking folders to be read again", "error", err)
		}
	}
	wg.Go(func() {
		g.everyHeartbeat(
			ctx, "healing changes of a server that stopped",
			func(ctx context.Context) error { return g.Heal(ctx, g.config.Now().Add(-intents.Timeout)) },
		)
	})
	if c.Notices != nil {
		wg.Go(func() { g.changes.Exchange(ctx, g.process, c.Notices, g.Versions.ForgetChanged, g.log) })
	}
	repeat := func(name, doing string, work func(context.Context) error) {
		wg.Go(func() { c.Once(ctx, name, func(ctx context.Context) { g.everyHeartbeat(ctx, doing, work) }) })
	}
	repeat("upkeep", "vacuuming the tables of files and tags", g.db.Upkeep)
	wg.Go(func() { g.scanner(ctx) })
	if c.ScanInterval > 0 {
		wg.Go(func() { c.Once(ctx, "scan", func(ctx context.Context) { g.requestScans(ctx, c.ScanInterval) }) })
	}
	if c.MetadataWorkers == 0 || g.engine == nil {
		return
	}
	next := make(chan pending)
	wg.Go(func() {
		c.Once(ctx, "metadata", func(ctx context.Context) { g.feedMetadata(ctx, next, c.MetadataWorkers) })
	})
	for range c.MetadataWorkers {
		wg.Go(func() { g.metadataWorker(ctx, next) })
	}
}
