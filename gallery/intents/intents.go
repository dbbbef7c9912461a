// Package intents is the changes of the storage that are in progress, on all servers of a database. Each is a row, written before the
// change and deleted with it: it locks the paths for the other servers, and says what is to be completed after a crash. A
// server renews its rows; those that expire are of servers that stopped. It is the only writer of the table of intents.
package intents

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/pathlock"
	"github.com/safelight/safelight/storage"
)

const (
	// Heartbeat is how often Renew is to be called.
	Heartbeat = 10 * time.Second
	// Timeout is how long an intent holds without a renewal.
	Timeout = time.Minute

	doubtful     = 2 * Heartbeat         // without a renewal for this long, a write asks the database first
	maxLockWait  = 10 * time.Second      // for a change of another server, before the answer is CONFLICT
	lockPoll     = 20 * time.Millisecond // between two looks, and up to as much again
	lockOfPaths  = "paths"               // serializes the transactions that look at the intents and write one
	conflictWait = 2 * time.Second       // when a caller should try again
)

// Change is a change of one or two paths.
type Change struct {
	What           intent.Change
	Source, Target storage.Key // Target is empty where there is one path
}

// Keys returns the paths.
func (c Change) Keys() []storage.Key {
	if c.Target == "" {
		return []storage.Key{c.Source}
	}
	return []storage.Key{c.Source, c.Target}
}

// Of returns the change of a row.
func Of(r *ent.Intent) Change {
	return Change{r.Change, storage.Key(r.Source), storage.Key(r.Target)}
}

// Table is the table of intents for one process. It is safe for concurrent use.
type Table struct {
	db    *database.DB
	owner string
	now   func() time.Time // the same on all servers
	mu    sync.Mutex
	live  map[int]time.Time // of this process: when each was renewed, by the clocks of this computer
}

// New returns the table for the process that owner identifies. now must be the same on all servers of the database.
func New(db *database.DB, owner string, now func() time.Time) *Table {
	return &Table{db: db, owner: owner, now: now, live: map[int]time.Time{}}
}

// Begin writes down a change once no other server is at one that meets it: of the same path, a folder above it or a file in it.
// The caller has locked the paths within the process, and calls End once. fault.Conflict if another server does not finish in time.
func (t *Table) Begin(ctx context.Context, c Change) (id int, err error) {
	deadline := time.NewTimer(maxLockWait)
	defer deadline.Stop()
	for {
		busy, asked := false, time.Now()
		err := t.db.Transact(ctx, func(tx *ent.Tx) error {
			db := tx.Client()
			var err error
			if busy, err = t.lockedElsewhere(ctx, db, c.Keys()); err != nil || busy {
				return err
			}
			row, err := db.Intent.Create().SetOwner(t.owner).SetChange(c.What).SetSource(string(c.Source)).SetTarget(string(c.Target)).
				SetSeen(t.now().UnixNano()).Save(ctx)
			if err == nil {
				id = row.ID
			}
			return err
		})
		if err == nil && !busy {
			t.set(id, asked)
			return id, nil
		}
		if err != nil {
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, fault.Wrap(ctx.Err(), fault.Timeout, "another change of %s takes too long", c.Source)
		case <-deadline.C:
			f := fault.OnField(fault.Conflict, "path", "another server is changing %s, try again later", c.Source)
			f.RetryAfter = conflictWait
			return 0, f
		case <-time.After(lockPoll + rand.N(lockPoll)):
		}
	}
}

// End ends the change for this process.
func (t *Table) End(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, id)
}

// IsLive reports whether this process is at a change.
func (t *Table) IsLive(id int) bool {
	_, ok := t.renewed(id)
	return ok
}

func (t *Table) set(id int, asked time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live[id] = asked
}

func (t *Table) renewed(id int) (asked time.Time, live bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	asked, live = t.live[id]
	return asked, live
}

// lockedElsewhere reports whether another server is at a change that meets these paths. On SQLite there is one server.
func (t *Table) lockedElsewhere(ctx context.Context, db *ent.Client, keys []storage.Key) (bool, error) {
	if !t.db.IsPostgres() {
		return false, nil
	}
	if err := t.db.LockNames(ctx, db, lockOfPaths); err != nil {
		return false, err
	}
	others, err := db.Intent.Query().Where(intent.OwnerNEQ(t.owner), intent.SeenGTE(t.expired())).All(ctx)
	if err != nil {
		return false, database.Translate(err)
	}
	for _, o := range others {
		for _, k := range keys {
			if pathlock.Meet(k, storage.Key(o.Source)) || o.Target != "" && pathlock.Meet(k, storage.Key(o.Target)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// expired returns the time from which on an intent must have been renewed to hold.
func (t *Table) expired() int64 { return t.now().Add(-Timeout).UnixNano() }

// Delete deletes an intent. deleted is false if another server has completed the change.
func Delete(ctx context.Context, db *ent.Client, id int) (deleted bool, err error) {
	n, err := db.Intent.Delete().Where(intent.ID(id)).Exec(ctx)
	return n > 0, err
}
