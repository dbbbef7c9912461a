package storageconfig

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
)

// epochLease is the row in the table of leases whose fencing number is the epoch on PostgreSQL. Nobody ever
// holds this lease.
const epochLease = "storage"

// waitForStorage is the RetryAfter of requests that a server rejects because it has not switched to the new
// storage yet.
const waitForStorage = time.Second

// Epoch identifies the storage that a server writes to, in the sequence of storages. It guards the index and
// uploads: their transactions fail once another storage was chosen, even if this server does not know that
// yet.
type Epoch struct {
	number   atomic.Int64
	postgres bool
	ended    func() // nil: the end is not reported
}

var _ database.Guard = (*Epoch)(nil)

// ReadEpoch returns the current epoch of a database. Read it before the chosen storage. ended is called when
// a transaction finds that the epoch has ended. It must not block, and may be nil.
func ReadEpoch(ctx context.Context, db *database.DB, ended func()) (*Epoch, error) {
	e := &Epoch{postgres: db.IsPostgres(), ended: ended}
	if e.postgres {
		const insert = "INSERT INTO leases (name, owner, fence, expires_at) VALUES ('" + epochLease +
			"', '', 1, now()) ON CONFLICT DO NOTHING"
		if _, err := db.ExecContext(ctx, insert); err != nil {
			return nil, database.Translate(err)
		}
	}
	number, err := e.present(ctx, db.Client, keyShare)
	e.number.Store(number)
	return e, database.Translate(err)
}

// keyShare locks the row of the epoch on PostgreSQL, so that the epoch cannot end before the transaction
// does. SQLite has only one writer at a time.
const keyShare = " FOR KEY SHARE"

// present reads the current epoch. lock is the locking clause for its row, or empty.
func (e *Epoch) present(ctx context.Context, db *ent.Client, lock string) (number int64, err error) {
	if !e.postgres {
		row, err := db.StorageSettings.Get(ctx, settingsID)
		if err != nil || row.AppliedAt == nil {
			return 0, ignoreNotFound(err)
		}
		return row.AppliedAt.UnixNano(), nil
	}
	statement := "SELECT fence, " + database.LimitIdle + " FROM leases WHERE name = '" + epochLease + "'" + lock
	err = database.Row(ctx, db, statement, nil, &number, new(string))
	return number, err
}

func ignoreNotFound(err error) error {
	if ent.IsNotFound(err) {
		return nil
	}
	return err
}

// Is reports whether two epochs are equal.
func (e *Epoch) Is(other *Epoch) bool { return e.number.Load() == other.number.Load() }

// Lock implements database.Guard.
func (e *Epoch) Lock(ctx context.Context, tx *ent.Client) error {
	return e.compare(ctx, tx, keyShare)
}

// Check implements database.Guard.
func (e *Epoch) Check(ctx context.Context, db *ent.Client) error { return e.compare(ctx, db, "") }

func (e *Epoch) compare(ctx context.Context, db *ent.Client, lock string) error {
	number, err := e.present(ctx, db, lock)
	if err == nil && number != e.number.Load() {
		err = e.Refused()
	}
	return err
}

// Row implements database.Guard.
func (e *Epoch) Row() string {
	return fmt.Sprintf("SELECT 1 FROM leases WHERE name = '%s' AND fence = %d%s", epochLease, e.number.Load(), keyShare)
}

// Refused implements database.Guard.
func (e *Epoch) Refused() error {
	if e.ended != nil {
		e.ended()
	}
	f := fault.New(
		fault.Unavailable,
		"an admin has chosen another storage, which this server does not use yet: try again",
	)
	f.RetryAfter = waitForStorage
	return f
}

// nextEpoch ends the current epoch for the transactions of all servers, after waiting for running
// transactions. It must be the first statement of a transaction. On SQLite, the number of an epoch is the
// time when the choice was applied.
func nextEpoch(ctx context.Context, db *database.DB, tx *ent.Tx) error {
	if !db.IsPostgres() {
		return nil
	}
	_, err := tx.ExecContext(
		ctx,
		"INSERT INTO leases (name, owner, fence, expires_at) VALUES ('"+epochLease+"', '', 1, now()) "+
			"ON CONFLICT (name) DO UPDATE SET fence = leases.fence + 1",
	)
	return err
}
