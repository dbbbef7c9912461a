// Package signing signs image URLs and verifies their signatures. It holds the processor settings: the secret, sealed
// in the database, its rotation with a grace period for the previous secret, and the settings of the operator that
// override it. It is the only writer of the tables of processor settings and of keys of families.
package signing

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/signing/sealed"
)

// Config is the configuration of a signer. Settings from flags and the environment take precedence over the database.
type Config struct {
	BaseURL   string                // absolute, without a final slash; empty: URLs are paths
	Processor *imaging.SignerConfig // settings from flags or environment; nil: the database decides
	Previous  string                // a secret that is accepted besides that of Processor; empty: none
	Now       func() time.Time      // nil is time.Now
	// Encryption holds the keys that encrypt image paths in URLs; empty: paths cannot be encrypted.
	Encryption sealed.Keys
	// Presets returns the presets that URLs may call; nil: no presets.
	Presets func() *preset.Set
	// PresetsOnly rejects URLs that contain anything but presets of an image, unless this server has signed them for
	// the application.
	PresetsOnly bool
	// Existing is for commands that only use the secret in the database: no secret is created or replaced.
	Existing bool
}

// Signer signs and verifies image URLs. Make it with New. Every method is safe for concurrent use and returns fault
// errors.
type Signer struct {
	config  Config
	db      *database.DB
	access  *access.Access
	audit   *audit.Log
	keyring *auth.Keyring // seals secrets
	log     *slog.Logger
	keys    atomic.Pointer[keys]
	// families holds the keys by id that sign families and are not revoked.
	families   atomic.Pointer[map[string]*imaging.Signer]
	app        *imaging.KeySet // signs for the application; nil unless only presets are allowed
	loading    sync.Mutex      // held while keys are read from the database
	lost       string          // the sealed secret that was replaced because it was unreadable; usually empty
	unreadable atomic.Bool     // the secret in the database was sealed with another key file
	unset      atomic.Bool     // the database has no secret, and none will be created
}

// keys are the keys that currently sign and verify URLs.
type keys struct {
	current  *imaging.KeySet
	rotating *imaging.KeySet // current and previous secret; nil: there is no previous secret
	until    time.Time       // when the previous secret expires; zero: never
}

// Rights contains everything that the result of Read depends on besides the path and the time. While Rights is equal,
// the same path gives an equal ParsedURL until that expires.
type Rights struct {
	keys     *keys
	rotating bool // the previous secret is accepted
	families *map[string]*imaging.Signer
	presets  *preset.Set
}

// Rights returns the current rights. It does no I/O.
func (s *Signer) Rights() Rights {
	k := s.keys.Load()
	return Rights{keys: k, rotating: s.accepts(k), families: s.families.Load(), presets: s.presets()}
}

// New returns a signer with the settings of a migrated database. It generates a secret if the database has none.
func New(
	ctx context.Context,
	c Config,
	db *database.DB,
	events *audit.Log,
	keyring *auth.Keyring,
	log *slog.Logger,
) (*Signer, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Signer{
		config: c, db: db, access: access.New(db, events), audit: events, keyring: keyring, log: log,
	}
	if c.PresetsOnly {
		var err error
		if s.app, err = appKeys(keyring); err != nil {
			return nil, err
		}
	}
	if err := s.load(ctx); err != nil {
		return nil, fmt.Errorf("reading the processor settings: %w", err)
	}
	return s, nil
}

// Reload reads the settings again, because another server on the same database may have changed them.
func (s *Signer) Reload(ctx context.Context) error {
	if err := s.load(ctx); err != nil {
		return fmt.Errorf("reading the processor settings: %w", err)
	}
	return nil
}
