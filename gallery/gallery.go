// Package gallery manages files and folders: an index of the storage for listings, search, filters and
// similarity, changes of files that survive crashes, tags and descriptions, albums, the trash, and the
// versions of sources for the result cache. It is the only writer of the tables of entries, taggings, albums
// and their items, and trash items.
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
	// Trash makes DeleteFile move files to the trash. TrashRetention is how long the trash keeps files; 0
	// means forever.
	Trash          bool
	TrashRetention time.Duration
	Results        Results // the result cache; nil: none
	// SourceCheck is how long a file's version is cached without asking the storage. Changes through the
	// gallery invalidate it. 0: the storage is asked each time.
	SourceCheck time.Duration
	// WatchInterval is the time between checks of a watched folder for changes by other programs; 0: 5 s.
	WatchInterval time.Duration
	// MayBeEmptied allows files to be removed from the index even if the storage, or a mount, is completely
	// empty. By default this results in fault.Unavailable, because the file system is probably not mounted.
	MayBeEmptied bool
	Stored       QuotaLimits
	Outbox       *outbox.Outbox // for webhooks; nil: no webhooks
}

// URLs signs image URLs. *signing.Signer implements it.
type URLs interface {
	SignPath(path string) string
	GenerateURL(ctx context.Context, image string, o imaging.Operations) (string, error)
	GenerateMetaURL(image string) string
}

// Gallery manages the files of one storage and their index in one database. Create it with New. All methods
// are safe for concurrent use and return fault errors.
type Gallery struct {
	Access    *access.Access // what callers may see and edit
	Stored    *Quotas
	Versions  VersionCache // of the sources that image URLs name
	config    Config
	db        *database.DB
	audit     *audit.Log
	urls      URLs
	store     storage.Store
	engine    imaging.Engine // nil in commands that do not read pictures
	log       *slog.Logger
	process   string // identifies this process among all processes that use the database
	index     *index
	paths     intents.Locks
	requested chan int            // entries whose metadata a response requested
	analyzing sync.Map            // entries that a worker is analyzing
	comparing *semaphore.Weighted // limits comparisons of all pictures to one at a time
	intents   *intents.Table
	scans     scans
	pending   recent[int32]        // number of pending files
	placed    recent[[]placeCount] // visible pictures of each place; must not be modified
	changes   feed.Hub
	publish   func(...storage.Key) // notifies watchers of folders
	writes    *database.Probe      // tests whether the database accepts writes
	writable  storageWrites
}

// New returns a gallery that uses a migrated database. The caller closes store and engine after the last use
// of the gallery. engine may be nil if no metadata is read; methods that need it then return
// fault.Unavailable.
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
		if err := db.CheckGuard(ctx); err != nil { // do not write to a storage that was replaced
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

// TestWrites tests in the background whether the main storage accepts writes: every minute, or every 10 s while it
// refuses them. The tests end with ctx or stop, which waits at most 3 s for a test in progress. Call TestWrites before
// the first call of Ready.
func (g *Gallery) TestWrites(ctx context.Context) (stop func()) {
	return g.writable.start(ctx)
}

// Ready returns nil if database and storage respond and accept writes, and fault.Unavailable otherwise. It
// tests a write to the database at most every 10 s. For the storage, it uses the results of TestWrites.
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

// ReplaceStorage prepares the index for a different main storage. All servers read every folder again before
// they show it. Changes in progress in the old main storage are no longer completed.
func (g *Gallery) ReplaceStorage(ctx context.Context, tx *ent.Tx) error {
	notMounted := func(k storage.Key) bool { return storage.MountOf(g.store, k).Name == "" }
	if err := g.intents.Forget(ctx, tx.Client(), notMounted); err != nil {
		return err // first, in the same order as a change
	}
	return g.index.invalidate(ctx, tx.Client(), "")
}

// KeepChanges renews the intents of the changes of this gallery until ctx ends, so that no other server completes them.
// Run does so, too.
func (g *Gallery) KeepChanges(ctx context.Context) {
	g.everyHeartbeat(ctx, "renewing intents", g.intents.Renew)
}
