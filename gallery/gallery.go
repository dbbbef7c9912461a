// Package gallery holds files and folders: an index of the storage for listings, search, filters and similarity,
// changes of files that survive crashes, tags and descriptions, albums, the trash, and the versions of sources for the
// result cache. It is the only writer of the tables of entries, taggings, albums and their items, and trash items.
package gallery

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/feed"
	"github.com/safelight/safelight/gallery/intents"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/webhooks/outbox"
)

// Config is the configuration of a gallery.
type Config struct {
	Limits imaging.Limits   // of the pictures whose metadata is extracted
	Now    func() time.Time // nil is time.Now
	// Trash lets DeleteFile move to the trash; TrashRetention is how long the trash keeps files, 0 is forever.
	Trash          bool
	TrashRetention time.Duration
	Results        Results // the cache of results; nil: none
	// SourceCheck is how long a file's version is cached without asking the storage, unless it is changed through the
	// gallery; 0: the storage is asked each time.
	SourceCheck time.Duration
	// WatchInterval is the time between checks of a watched folder that other programs may change; 0: 5 s.
	WatchInterval time.Duration
	// MayBeEmptied lets files leave the index even if the storage, or a mount, has nothing at all. Otherwise that is
	// fault.Unavailable, because its file system is probably not mounted.
	MayBeEmptied bool
	Stored       QuotaLimits
	Outbox       *outbox.Outbox // of webhooks; nil: none
}

// URLs signs image URLs. *signing.Signer implements it.
type URLs interface {
	SignPath(path string) string
	GenerateURL(ctx context.Context, image string, o imaging.Operations) (string, error)
	GenerateMetaURL(image string) string
}

// Gallery is the files of one storage and their index in one database. Create it with New. Every method is safe for
// concurrent use and returns fault errors.
type Gallery struct {
	Access    *access.Access // what callers may reach
	Stored    *Quotas
	Versions  VersionCache // of the sources that image URLs name
	config    Config
	db        *database.DB
	audit     *audit.Log
	urls      URLs
	store     storage.Store
	engine    imaging.Engine // nil in commands that do not read pictures
	log       *slog.Logger
	process   string // identifies this process among those on one database
	index     *index
	paths     intents.Locks
	requested chan int            // entries whose metadata a response requested
	analyzing sync.Map            // entries that a worker is analyzing
	comparing *semaphore.Weighted // limits comparisons of all pictures to one at a time
	intents   *intents.Table
	scans     scans
	pending   recent[int32]        // pending files
	placed    recent[[]placeCount] // visible pictures of each place; not changed
	changes   feed.Hub
	publish   func(...storage.Key) // tells those who watch folders
	writes    *database.Probe      // to the database
	writable  storageWrites
}

// New returns a gallery on a migrated database. The caller closes store and engine after the last use of the gallery.
// engine may be nil if no metadata is read; methods that need it return fault.Unavailable then.
func New(
	c Config,
	db *database.DB,
	events *audit.Log,
	urls URLs,
	store storage.Store,
	engine imaging.Engine,
	log *slog.Logger,
) (*Gallery, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	g := &Gallery{
		Stored:    newQuotas(c.Stored, db, c.Now),
		config:    c,
		db:        db,
		Access:    access.New(db, events),
		audit:     events,
		urls:      urls,
		engine:    engine,
		log:       log,
		Versions:  VersionCache{Age: c.SourceCheck},
		process:   rand.Text(),
		requested: make(chan int, 1000),
		comparing: semaphore.NewWeighted(1),
		writes:    database.NewProbe(db.CheckWrite, nil),
	}
	g.Access.Changed = g.changes.Look
	g.intents = intents.New(db, g.process, c.Now)
	g.store, g.publish = g.invalidating(store), published(&g.changes)
	g.writable.log = log
	g.writable.try = func(ctx context.Context) error {
		if err := db.CheckGuard(ctx); err != nil { // nothing is written to a storage that was replaced
			return err
		}
		return storage.CheckWrite(ctx, store)
	}
	g.index = &index{
		db: db, access: g.Access, store: g.store, log: log, now: c.Now, publish: g.publish, pdf: c.Limits.AllowPDF,
		mayBeEmptied: c.MayBeEmptied,
	}
	return g, nil
}

// TestWrites tests in the background whether the main storage accepts a write, every minute, and every 10 s while it
// refuses. It closes ended when ctx has ended and the last test is over. Call it before the first Ready.
func (g *Gallery) TestWrites(ctx context.Context) (ended <-chan struct{}) {
	return g.writable.start(ctx)
}

// Ready returns nil if database and storage respond and accept writes, fault.Unavailable otherwise. It tests a write to
// the database at most every 10 s, and relies on TestWrites for the storage.
func (g *Gallery) Ready(ctx context.Context) error {
	if err := g.db.Admit(ctx); err != nil {
		return err
	}
	if err := errors.Join(g.db.Check(ctx), g.db.CheckGuard(ctx)); err != nil {
		return err
	}
	if err := g.writes.Err(ctx); err != nil {
		return err
	}
	if err := g.store.Check(ctx); err != nil {
		return err
	}
	return g.writable.err(ctx)
}

// ReplaceStorage prepares the index for another main storage: all servers read every folder again before showing it,
// and changes in progress in the old main storage are no longer completed.
func (g *Gallery) ReplaceStorage(ctx context.Context, tx *ent.Tx) error {
	notMounted := func(k storage.Key) bool { return storage.MountOf(g.store, k).Name == "" }
	if err := g.intents.Forget(ctx, tx.Client(), notMounted); err != nil {
		return err // first, as a change does
	}
	return g.index.invalidate(ctx, tx.Client(), "")
}

// KeepChanges renews the intents of the changes of this gallery until ctx ends, so that no other server completes them.
// Run does so, too.
func (g *Gallery) KeepChanges(ctx context.Context) {
	g.everyHeartbeat(ctx, "renewing intents", g.intents.Renew)
}
