package gallery

import (
	"context"
	"sync"
	"time"

	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/storage"
)

// RunConfig says what goes on beside requests.
type RunConfig struct {
	ScanInterval    time.Duration // between scans of everything; 0: none but those that are asked for
	MetadataWorkers int           // pictures that are looked at at once; 0: none
	// Busy reports whether somebody waits for pictures that are being made: looking at those that nobody asked for
	// gives way then. nil is never.
	Busy func() bool
}

// Run keeps the index after the storage until ctx ends: it ends changes that a crash left, scans, and looks at pictures
// that it does not know. One Run at a time.
func (g *Gallery) Run(ctx context.Context, c RunConfig) {
	before := g.config.Now().Add(-dead)
	if !g.db.IsPostgres() {
		before = g.config.Now() // one process serves from a file: the others are dead
	}
	if err := g.Heal(ctx, before); err != nil && ctx.Err() == nil {
		g.log.WarnContext(ctx, "ending the changes that a stop left", "error", err)
	}
	if _, ok := g.store.(storage.Watched); !ok {
		// what happened while nobody looked, or that it is another bucket, no listing would notice
		if err := g.db.Entry.Update().Where(entry.Kind(kindFolder), entry.SyncedGT(0)).SetSynced(0).Exec(ctx); err != nil && ctx.Err() == nil {
			g.log.WarnContext(ctx, "the index may be behind the storage", "error", err)
		}
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { g.keepIntents(ctx) })
	wg.Go(func() { g.scanner(ctx, c.ScanInterval) })
	if c.MetadataWorkers == 0 || g.engine == nil {
		return
	}
	next := make(chan int)
	wg.Go(func() { g.feedMetadata(ctx, next) })
	for range c.MetadataWorkers {
		wg.Go(func() { g.metadataWorker(ctx, next, c.Busy) })
	}
}
