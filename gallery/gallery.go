// Package gallery holds the rules of Safelight: files and folders, accounts and sessions, and
// how image URLs are signed. It is the only holder of the database client; transactions live
// here. Every method is safe for concurrent use and returns fault errors.
package gallery

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// Config is what the operator decides.
type Config struct {
	Guest        bool
	Registration bool
	BaseURL      string                // absolute, without a final slash; empty: URLs are paths
	Processor    *imaging.SignerConfig // from flags or environment; nil: the database decides
	StorageKind  string                // "file" or "s3", for StorageStatus
	StoragePlace string                // folder or bucket, for StorageStatus
	Storage      StoragePolicy         // what admins may choose instead
	MaxFileBytes int64                 // of an upload; 0 is no limit
	Limits       imaging.Limits        // of the pictures that the gallery looks at and draws itself
	// KeepPrevious is how long the secret before is accepted after a rotation; 0 is 24 hours.
	KeepPrevious time.Duration
	Now          func() time.Time // nil is time.Now
	// UploadTTL is how long an upload lives after its last byte; 0 is 24 hours.
	UploadTTL time.Duration
	// Trash lets DeleteFile move to the trash, and TrashRetention is how long that keeps what lies there; 0 is for ever.
	Trash          bool
	TrashRetention time.Duration
	// Probe refuses bytes that are no whole picture within the limits; nil believes their first ones.
	// Reader stands at its start.
	Probe   func(context.Context, imaging.Source) error
	Results Results // finished pictures that are kept; nil: none
	// SourceCheck is how long a file's version is believed without asking the storage again, unless it is
	// changed through the gallery; 0: it is asked each time.
	SourceCheck time.Duration
}

// Gallery is the one holder of the rules. Make it with New.
type Gallery struct {
	config    Config
	db        *ent.Client
	store     storage.Store
	engine    imaging.Engine // nil in commands that look at no pictures
	keys      *auth.Keyring
	log       *slog.Logger
	passwords *auth.Passwords
	logins    *auth.Limiter
	signing   atomic.Pointer[signing]

	signingTurn sync.Mutex // held while signing is read from the database

	setup    setupToken
	dialect  string       // ent's name of the database
	process  string       // names this process among those on one database
	changes  atomic.Int64 // counted before and after each change of the storage by us
	paths    paths
	writer   chan struct{} // holds one while a transaction of ours is open on SQLite
	wanted   chan int      // entries whose metadata an answer asked for
	looking  sync.Map      // entries that a worker looks at
	intents  intents
	versions versions
	drawing  chan struct{} // holds one while a preview is drawn
	scans    scans
}

// New returns a gallery on a migrated database. It makes the processor's secret when there is
// none yet. The caller closes db, store and engine after the last use of the gallery. engine may be
// nil where nobody asks what a picture holds; what does is fault.Unavailable then.
func New(ctx context.Context, c Config, db *ent.Client, store storage.Store, engine imaging.Engine, keys *auth.Keyring, log *slog.Logger) (*Gallery, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.KeepPrevious == 0 {
		c.KeepPrevious = 24 * time.Hour
	}
	if c.UploadTTL == 0 {
		c.UploadTTL = 24 * time.Hour
	}
	g := &Gallery{config: c, db: db, store: store, engine: engine, keys: keys, log: log,
		passwords: auth.NewPasswords(runtime.GOMAXPROCS(0)),
		logins:    auth.NewLimiter(loginAttempts, time.Minute, c.Now),
		versions:  versions{age: c.SourceCheck},
		drawing:   make(chan struct{}, 1),
		process:   rand.Text(),
		wanted:    make(chan int, 1000),
		writer:    make(chan struct{}, 1),
	}
	var err error
	if g.dialect, err = findDialect(ctx, db); err != nil {
		return nil, fmt.Errorf("looking at the index: %w", err)
	}
	g.store = g.noticing(store)
	if err := g.loadSigning(ctx); err != nil {
		return nil, fmt.Errorf("reading the processor settings: %w", err)
	}
	if err := g.applyStorage(ctx); err != nil {
		return nil, fmt.Errorf("applying the storage settings: %w", err)
	}
	if err := g.loadSetupToken(ctx); err != nil {
		return nil, fmt.Errorf("looking for accounts: %w", err)
	}
	return g, nil
}

// Ready returns nil when database and storage answer, else fault.Unavailable.
func (g *Gallery) Ready(ctx context.Context) error {
	if _, err := g.db.ProcessorSettings.Query().Exist(ctx); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the database does not answer")
	}
	return g.store.Check(ctx)
}

// translate turns the database's errors into faults; faults and others stay as they are.
func translate(err error) error {
	switch {
	case err == nil, fault.CodeOf(err) != fault.Internal:
		return err
	case ent.IsNotFound(err):
		return fault.Wrap(err, fault.NotFound, "the account does not exist")
	case ent.IsValidationError(err):
		return fault.Wrap(err, fault.Invalid, "a value is out of range")
	case errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Canceled, "the work was given up")
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "the database took too long")
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.As(err, new(*net.OpError)):
		return fault.Wrap(err, fault.Unavailable, "the database does not answer")
	case isBusy(err):
		f := fault.Wrap(err, fault.Unavailable, "the database is busy, try again later")
		f.RetryAfter = time.Second
		return f
	case isNoText(err):
		return fault.Wrap(err, fault.Invalid, "a text holds the character U+0000, which no text may hold")
	}
	return err
}

// isNoText reports whether PostgreSQL was given text that it cannot keep: its texts hold no NUL.
func isNoText(err error) bool {
	var state interface{ SQLState() string }
	return errors.As(err, &state) && state.SQLState() == "22021"
}

// maxLookup is the most bytes of a text to be looked for: more than any path, less than SQLite's LIKE takes.
const maxLookup = 2000

// lookup returns fault.Invalid for a text that no database looks for: SQLite would take one with a NUL for what
// is before it.
func lookup(field, text string) error {
	if strings.ContainsRune(text, 0) {
		return fault.OnField(fault.Invalid, field, "%s holds the character U+0000, which no text may hold", field)
	}
	if len(text) > maxLookup {
		return fault.OnField(fault.Invalid, field, "%s has %d bytes, expected at most %d", field, len(text), maxLookup)
	}
	return nil
}

// isBusy reports whether the database is stopping, starting, full of connections, or locked by another
// process: what may be over soon.
func isBusy(err error) bool {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		class := state.SQLState()[:min(2, len(state.SQLState()))]
		return class == "08" || class == "53" || class == "57"
	}
	return strings.Contains(err.Error(), "database is locked") // the driver's error has no method that says so
}
