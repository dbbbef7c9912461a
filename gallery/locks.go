package gallery

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/pathlock"
	"github.com/safelight/safelight/storage"
)

const (
	maxLockWait  = 10 * time.Second      // for a change of another server, before the answer is CONFLICT
	lockPoll     = 20 * time.Millisecond // between two looks, and up to as much again
	lockOfPaths  = "paths"               // serializes the transactions that look at the intents and add one
	conflictWait = 2 * time.Second       // when a caller should try again
)

// begin writes down a change once no other server is at one that meets it: of the same path, a folder above it or a file in it.
// The rows of intents are the locks: each server renews its own, they expire, and Heal completes those of a server that stopped. Within the
// process g.paths has locked the paths before. fault.Conflict if another server does not finish in time.
func (g *Gallery) begin(ctx context.Context, c change) (id int, err error) {
	deadline := time.NewTimer(maxLockWait)
	defer deadline.Stop()
	for {
		busy := false
		err := g.db.Transact(ctx, func(tx *ent.Tx) error {
			db := tx.Client()
			var err error
			if busy, err = g.lockedElsewhere(ctx, db, c.keys()); err != nil || busy {
				return err
			}
			row, err := db.Intent.Create().SetOwner(g.process).SetChange(c.what).SetSource(string(c.source)).SetTarget(string(c.target)).
				SetSeen(g.config.Now().UnixNano()).Save(ctx)
			if err == nil {
				id = row.ID
			}
			return err
		})
		if err != nil || !busy {
			return id, err
		}
		select {
		case <-ctx.Done():
			return 0, fault.Wrap(ctx.Err(), fault.Timeout, "another change of %s takes too long", c.source)
		case <-deadline.C:
			f := fault.OnField(fault.Conflict, "path", "another server is changing %s, try again later", c.source)
			f.RetryAfter = conflictWait
			return 0, f
		case <-time.After(lockPoll + rand.N(lockPoll)):
		}
	}
}

// lockedElsewhere reports whether another server is at a change that meets these paths. On SQLite there is one server.
func (g *Gallery) lockedElsewhere(ctx context.Context, db *ent.Client, keys []storage.Key) (bool, error) {
	if !g.db.IsPostgres() {
		return false, nil
	}
	if err := g.db.LockNames(ctx, db, lockOfPaths); err != nil {
		return false, err
	}
	others, err := db.Intent.Query().Where(intent.OwnerNEQ(g.process), intent.SeenGTE(g.config.Now().Add(-intentTimeout).UnixNano())).All(ctx)
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
