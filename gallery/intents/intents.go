// Package intents records the storage changes in progress on all servers that use a database. Each change has
// a row, which is written before the change and deleted with it. The row locks the paths for other servers,
// and describes what to complete after a crash. A server renews its rows. Expired rows belong to servers that
// have stopped. The package is the only writer of the table of intents.
package intents

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

const (
	// Heartbeat is how often Renew must be called.
	Heartbeat = 10 * time.Second
	// Timeout is how long an intent is valid without a renewal, before another server completes the change.
	Timeout = time.Minute

	// an intent that was not renewed for this long could not be completed, and no longer locks its paths
	maxAge       = 10 * time.Minute
	staleAfter   = 2 * Heartbeat         // after this long without a renewal, a write checks the database first
	maxLockWait  = 10 * time.Second      // for another server's change; then the result is CONFLICT
	lockPoll     = 20 * time.Millisecond // pause between attempts, plus a random pause of up to the same length
	lockOfPaths  = "paths"               // serializes the transactions that look at the intents and write one
	conflictWait = 2 * time.Second       // when a caller should retry
	cleanTimeout = 2 * time.Second       // for removing a row that may have been inserted
)

// Change is a change of one or two paths.
type Change struct {
	What           intent.Change
	Source, Target storage.Key // Target is empty for a change with a single path
}

// Keys returns the paths.
func (c Change) Keys() []storage.Key {
	if c.Target == "" {
		return []storage.Key{c.Source}
	}
	return []storage.Key{c.Source, c.Target}
}

// Of returns the change that a row describes.
func Of(r *ent.Intent) Change {
	return Change{r.Change, storage.Key(r.Source), storage.Key(r.Target)}
}

// Table is the table of intents for one process. It is safe for concurrent use.
type Table struct {
	db    *database.DB
	owner string
	now   func() time.Time // consistent across all servers
	mu    sync.Mutex
	live  map[int]time.Time // changes of this process, with the time of their last renewal by this computer's clocks
}

// New returns the table for the process that owner identifies. now must be consistent across all servers that
// use the database.
func New(db *database.DB, owner string, now func() time.Time) *Table {
	return &Table{db: db, owner: owner, now: now, live: map[int]time.Time{}}
}

// Begin records a change. It first waits until no other server is making an overlapping change: of the same
// path, a folder above it or a file in it. The caller has locked the paths within the process, and must call
// End once. It returns fault.Conflict if another server does not finish in time.
func (t *Table) Begin(ctx context.Context, c Change) (id int, err error) {
	deadline := time.NewTimer(maxLockWait)
	defer deadline.Stop()
	for {
		asked := time.Now()
		if id, err = t.begin(ctx, c); err != nil {
			return 0, err
		}
		if id != 0 {
			t.set(id, asked)
			return id, nil
		}
		select {
		case <-ctx.Done():
			return 0, fault.Wrap(ctx.Err(), fault.Timeout, "another change of %s takes too long", c.Source)
		case <-deadline.C:
			return 0, inProgress(c.Source)
		case <-time.After(lockPoll + rand.N(lockPoll)):
		}
	}
}

// inProgress is the error of a change that waited too long for another. It names no field, because the path
// is valid and clients retry.
func inProgress(source storage.Key) error {
	f := fault.New(
		fault.Conflict, "a change of %s is under way, or is being completed after a failure, try again later",
		source,
	)
	f.RetryAfter = conflictWait
	return f
}

// begin inserts the row of a change and returns its id. It returns 0 if another change overlaps.
func (t *Table) begin(ctx context.Context, c Change) (id int, err error) {
	since := t.now().Add(-maxAge).UnixNano()
	if t.db.IsPostgres() { // in one statement, so that no network round trip happens while the lock of paths is held
		return t.beginOnPostgres(ctx, c, since)
	}
	err = t.db.Transact(ctx, func(tx *ent.Tx) error {
		db := tx.Client()
		busy, err := t.locked(ctx, db, c.Keys(), since)
		if err != nil || busy {
			return err
		}
		row, err := db.Intent.Create().
			SetOwner(t.owner).
			SetChange(c.What).
			SetSource(string(c.Source)).
			SetTarget(string(c.Target)).
			SetSeen(t.now().UnixNano()).
			Save(ctx)
		if err == nil {
			id = row.ID
		}
		return err
	})
	return id, err
}

// beginOnPostgres is begin for PostgreSQL.
func (t *Table) beginOnPostgres(ctx context.Context, c Change, since int64) (id int, err error) {
	seen, sent := t.now().UnixNano(), false
	defer func() {
		if err != nil && sent { // the row may exist, and would lock its paths for a minute
			aside, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTimeout)
			defer cancel()
			// If this fails, the intent is healed later.
			_, _ = t.db.Intent.Delete().
				Where(intent.Owner(t.owner), intent.Source(string(c.Source)), intent.Target(string(c.Target)),
					intent.Seen(seen)).
				Exec(aside)
		}
	}()
	statement, guard := "SELECT begin_intent($1, $2, $3, $4, $5, $6, $7, $8::bigint[])", t.db.Guard()
	if guard != nil {
		statement = "WITH held AS MATERIALIZED (" + guard.Row() + ") " + statement + " FROM held"
	}
	err = t.db.Once(database.WithoutGuard(ctx), func(db *ent.Client) error {
		sent = true
		rows, err := db.QueryContext(
			ctx, statement, database.LockNumber(lockOfPaths), t.owner, string(c.What), string(c.Source),
			string(c.Target), seen, since, database.Array(t.ids()),
		)
		if err != nil {
			return err
		}
		defer rows.Close()
		if rows.Next() {
			err = rows.Scan(&id)
		} else if rows.Err() == nil && guard != nil {
			err = guard.Refused()
		}
		return errors.Join(err, rows.Err())
	})
	return id, err
}

// ids returns the ids of this process's changes.
func (t *Table) ids() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.live))
}

// End ends the change for this process.
func (t *Table) End(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, id)
}

// IsLive reports whether this process is making a change.
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

// locked reports whether a change in progress overlaps these paths and is not locked in memory by this
// process: a change of another server, or one that must be completed. Only intents that were renewed after
// since count.
func (t *Table) locked(ctx context.Context, db *ent.Client, keys []storage.Key, since int64) (bool, error) {
	if err := t.db.LockNames(ctx, db, lockOfPaths); err != nil {
		return false, err
	}
	others, err := db.Intent.Query().Where(intent.SeenGTE(since)).All(ctx)
	if err != nil {
		return false, database.Translate(err)
	}
	for _, o := range others {
		if t.IsLive(o.ID) {
			continue
		}
		for _, k := range keys {
			if Overlap(k, storage.Key(o.Source)) || o.Target != "" && Overlap(k, storage.Key(o.Target)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// Moving reports whether a path is being moved away by any server: on its own, as part of a folder, or
// something in it.
func Moving(ctx context.Context, db *ent.Client, k storage.Key) (bool, error) {
	rows, err := db.Intent.Query().Where(intent.ChangeEQ(intent.ChangeMove)).All(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(rows, func(r *ent.Intent) bool { return Overlap(k, storage.Key(r.Source)) }), nil
}

// Arriving returns the targets of the copies and moves in progress on all servers, except for the intent
// except. A file may already be at its target while its sidecar is not. It ignores changes that could not be
// completed.
func Arriving(ctx context.Context, db *ent.Client, now time.Time, except int) ([]storage.Key, error) {
	rows, err := db.Intent.Query().Where(intent.ChangeIn(intent.ChangeCopy, intent.ChangeMove), intent.IDNEQ(except),
		intent.SeenGTE(now.Add(-maxAge).UnixNano())).Select(intent.FieldTarget).All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	keys := make([]storage.Key, len(rows))
	for i, r := range rows {
		keys[i] = storage.Key(r.Target)
	}
	return keys, nil
}

// expired returns a cutoff: intents that were last renewed earlier belong to servers that have stopped.
func (t *Table) expired() int64 { return t.now().Add(-Timeout).UnixNano() }

// Expire marks a partial change of this process, so that healing completes it. The paths stay locked until
// then. tx is the client of the transaction.
func (t *Table) Expire(ctx context.Context, tx *ent.Client, id int) error {
	return tx.Intent.Update().Where(intent.ID(id), intent.Owner(t.owner)).SetSeen(t.expired() - 1).Exec(ctx)
}

// Delete deletes an intent. deleted is false if another server has completed the change.
func Delete(ctx context.Context, db *ent.Client, id int) (deleted bool, err error) {
	n, err := db.Intent.Delete().Where(intent.ID(id)).Exec(ctx)
	return n > 0, err
}

// Forget removes all intents, of any server, that contain a selected path.
func (t *Table) Forget(ctx context.Context, db *ent.Client, selected func(storage.Key) bool) error {
	rows, err := db.Intent.Query().All(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if slices.ContainsFunc(Of(r).Keys(), selected) {
			if _, err := Delete(ctx, db, r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
