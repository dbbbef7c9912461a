// Package backend selects the storage of the gallery: the one that the operator configures, or one that an admin has
// chosen by the API. It checks and tests a choice, stores it with encrypted secrets, and uses it from the next start. It
// is the only writer of the table of storage settings.
package backend

import (
	"context"
	"reflect"
	"time"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/storagesettings"
	"github.com/safelight/safelight/storage"
)

// Config is the operator's configuration, and which storage is in use.
type Config struct {
	Policy Policy
	Kind   string           // of the storage in use: "file", "s3" or another scheme of storage.Schemes
	Place  string           // folder or bucket
	Now    func() time.Time // nil is time.Now
}

// Settings are the storage settings of one database. Create it with New. Every method is safe for concurrent use and
// returns fault errors.
type Settings struct {
	config Config
	db     *database.DB
	audit  *audit.Log
	store  storage.Store
	keys   *auth.Keyring
	inUse  *Input // nil if Apply has not run, or the operator has named the storage
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
	Type                 string // as Config.Kind
	Place                string // folder or bucket
	Reachable            bool
	IsOverriddenByConfig bool
	LastUpdated          *time.Time // when an admin last chose a storage; nil if never
	RestartRequired      bool       // the chosen storage is not in use yet
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
	return status, nil
}

// Apply marks a newly chosen storage as in use, and calls invalidate in the same transaction, because the index describes
// the files of another storage. It does nothing at later starts.
func (s *Settings) Apply(ctx context.Context, invalidate func(context.Context, *ent.Tx) error) error {
	if s.config.Policy.Overridden {
		return nil
	}
	if err := s.rememberInUse(ctx); err != nil {
		return err
	}
	return s.db.Transact(ctx, func(tx *ent.Tx) error {
		n, err := tx.StorageSettings.Update().Where(storagesettings.ID(settingsID), storagesettings.AppliedAtIsNil()).SetAppliedAt(s.config.Now()).Save(ctx)
		if err != nil || n == 0 {
			return err
		}
		return invalidate(ctx, tx)
	})
}

// rememberInUse stores which storage this process was started with: choosing it again needs no restart.
func (s *Settings) rememberInUse(ctx context.Context) error {
	row, err := s.choice(ctx)
	if err != nil {
		return err
	}
	if row == nil {
		s.inUse = &Input{Folder: s.config.Policy.Default}
		return nil
	}
	if in, err := stored(row, s.keys); err == nil { // else the storage is not that of the row
		s.inUse = &in
	}
	return nil
}

// uses reports whether in is the storage that this process was started with, with the same keys.
func (s *Settings) uses(in Input) bool {
	if s.inUse == nil || (s.inUse.S3 == nil) != (in.S3 == nil) {
		return false
	}
	if in.S3 != nil {
		return reflect.DeepEqual(s.inUse.S3, in.S3)
	}
	a, errA := resolve(s.inUse.Folder)
	b, errB := resolve(in.Folder)
	return errA == nil && errB == nil && a == b
}

// RestartRequired reports whether the storage that an admin chose last is used from the next start on only.
func (s *Settings) RestartRequired(ctx context.Context) (bool, error) {
	row, err := s.choice(ctx)
	return err == nil && row != nil && s.pending(row), err
}

// pending reports whether this process uses another storage than that of the row, although another server may use it already.
func (s *Settings) pending(row *ent.StorageSettings) bool {
	if row.AppliedAt == nil {
		return true
	}
	in, err := stored(row, s.keys)
	return err == nil && s.inUse != nil && !s.uses(in)
}

// choice returns what an admin chose last; nil if none did, or if the operator has named the storage.
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
