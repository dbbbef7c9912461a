// Package storageconfig selects the storage of the gallery: the one that the operator configures, or one that
// an admin has chosen through the API. It checks and tests a choice, stores it with encrypted secrets, and
// prevents servers from writing to the previous storage. It is the only writer of the table of storage
// settings.
package storageconfig

import (
	"context"
	"reflect"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Config is the operator's configuration, and the storage in use.
type Config struct {
	Policy Policy
	Kind   string           // of the storage in use: "file", "s3" or another scheme of storage.Schemes
	Place  string           // folder or bucket
	Now    func() time.Time // nil is time.Now
	Epoch  *Epoch           // epoch of the storage in use; nil: the storage has no epoch
	// MayReplace returns an error if the storage must not be replaced now. nil: it may always be replaced.
	MayReplace func(context.Context) error
	// Use makes this server switch to the storage that was chosen last. nil: the server switches at its next
	// start.
	Use func(context.Context) error
	// Problem returns the error of the last call of Use, or nil if it succeeded.
	Problem func() error
}

// Settings manages the storage settings in one database. Create it with New. All methods are safe for
// concurrent use and return fault errors.
type Settings struct {
	config Config
	db     *database.DB
	audit  *audit.Log
	store  storage.Store
	keys   *auth.Keyring
	inUse  *Input // nil before Apply, if the operator has set the storage, or if its keys cannot be decrypted
	// replaced makes further changes in the transaction that replaces the storage. It is nil before Apply.
	replaced func(context.Context, *ent.Tx) error
}

// New returns the settings of a migrated database. store is the storage in use.
func New(c Config, db *database.DB, events *audit.Log, store storage.Store, keys *auth.Keyring) (*Settings, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Settings{config: c, db: db, audit: events, store: store, keys: keys}, nil
}

// Status describes the storage of files.
type Status struct {
	Configured           bool
	Type                 string // see Config.Kind
	Place                string // folder or bucket
	Reachable            bool
	IsOverriddenByConfig bool
	LastUpdated          *time.Time // when an admin last chose a storage; nil if never
	RestartRequired      bool       // this server does not use the chosen storage yet
	Problem              string     // why it does not use it; empty if it does
}

// StorageStatus describes the storage of files and whether it is available.
func (s *Settings) StorageStatus(ctx context.Context) (*Status, error) {
	status := &Status{Configured: true, Type: s.config.Kind, Place: s.config.Place,
		Reachable: s.store.Check(ctx) == nil, IsOverriddenByConfig: s.config.Policy.Overridden}
	row, err := s.choice(ctx)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return status, nil
	}
	status.LastUpdated, status.RestartRequired = &row.UpdatedAt, s.pending(row)
	if s.config.Problem != nil {
		// also without a pending choice, because the keys of the row may belong to another key file
		if err := s.config.Problem(); err != nil {
			status.RestartRequired, status.Problem = true, fault.Of(err).Message
		}
	}
	return status, nil
}

// Apply records which storage this server uses. replaced is called in each transaction that replaces the
// storage, because the index, changes in progress and unfinished uploads belong to the previous storage.
func (s *Settings) Apply(ctx context.Context, replaced func(context.Context, *ent.Tx) error) error {
	s.replaced = replaced
	if s.config.Policy.Overridden {
		return nil
	}
	return s.rememberInUse(ctx)
}

// replace ends the epoch and removes what belongs to the previous storage.
func (s *Settings) replace(ctx context.Context, tx *ent.Tx) error {
	if err := nextEpoch(ctx, s.db, tx); err != nil || s.replaced == nil {
		return err
	}
	return s.replaced(ctx, tx)
}

// rememberInUse stores which storage this server uses.
func (s *Settings) rememberInUse(ctx context.Context) error {
	row, err := s.choice(ctx)
	if err != nil {
		return err
	}
	if row == nil {
		s.inUse = &Input{Folder: s.config.Policy.Default}
		return nil
	}
	if in, err := stored(row, s.keys); err == nil { // otherwise the storage is not that of the row
		s.inUse = &in
	}
	return nil
}

// uses reports whether this server uses the storage in, with the same keys.
func (s *Settings) uses(in Input) bool {
	if s.inUse == nil || (s.inUse.S3 == nil) != (in.S3 == nil) {
		return false
	}
	if in.S3 != nil {
		return reflect.DeepEqual(s.inUse.S3, in.S3)
	}
	return sameFolder(s.inUse.Folder, in.Folder)
}

func sameFolder(one, other string) bool {
	a, errA := resolve(one)
	b, errB := resolve(other)
	return errA == nil && errB == nil && a == b
}

// Pending reports whether this server uses a different storage than the one that an admin chose last.
func (s *Settings) Pending(ctx context.Context) (bool, error) {
	row, err := s.choice(ctx)
	return err == nil && row != nil && s.pending(row), err
}

// Use makes this server switch to the storage that was chosen last. The error says why it still uses the
// previous storage.
func (s *Settings) Use(ctx context.Context) error {
	if s.config.Use == nil {
		return fault.New(fault.Unavailable, "the server will use it after its next start")
	}
	return s.config.Use(ctx)
}

// pending reports whether this process uses a different storage than that of the row. Other servers may
// already use it.
func (s *Settings) pending(row *ent.StorageSettings) bool {
	in, err := stored(row, s.keys)
	return err == nil && !s.uses(in)
}

// choice returns what an admin chose last. It returns nil if none was chosen, or if the operator has set the
// storage.
func (s *Settings) choice(ctx context.Context) (*ent.StorageSettings, error) {
	if s.config.Policy.Overridden {
		return nil, nil
	}
	row, err := s.db.StorageSettings.Get(ctx, settingsID)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, database.Translate(err)
	}
	return row, nil
}
