package gallery

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// transactions is how often one is tried that the database gives up for another's sake.
const transactions = 10

// tx runs do in a transaction: committed when it returns nil, else rolled back. Where PostgreSQL gives it up
// because of a deadlock, do is run again, so that what it leaves outside of the database must not add up.
func (g *Gallery) tx(ctx context.Context, do func(*ent.Tx) error) error {
	for n := 1; ; n++ {
		err := g.once(ctx, do)
		if n == transactions || !wasGivenUp(err) {
			return err
		}
		// apart from each other, or they meet again
		pause := time.NewTimer(time.Duration(1+rand.IntN(20*n)) * time.Millisecond)
		select {
		case <-ctx.Done():
			pause.Stop()
			return err
		case <-pause.C:
		}
	}
}

func (g *Gallery) once(ctx context.Context, do func(*ent.Tx) error) error {
	if g.dialect == dialect.SQLite {
		// SQLite lets its writers look again from time to time, and forgets some for longer than they wait;
		// in here they stand in a queue.
		select {
		case g.writer <- struct{}{}:
			defer func() { <-g.writer }()
		case <-ctx.Done():
			return translate(ctx.Err())
		}
	}
	tx, err := g.db.Tx(ctx)
	if err != nil {
		return translate(err)
	}
	if err := do(tx); err != nil {
		return errors.Join(translate(err), tx.Rollback())
	}
	return translate(tx.Commit())
}

// wasGivenUp reports whether a transaction was ended by a deadlock or by one that ran at the same time,
// so that the same may succeed when it is tried again.
func wasGivenUp(err error) bool {
	var state interface{ SQLState() string }
	if !errors.As(err, &state) {
		return false
	}
	return state.SQLState() == "40P01" || state.SQLState() == "40001"
}

// lockFolders lets one transaction at a time, of all servers on the database, change the rows of what lies in
// these folders; it comes before the first row of theirs is written. SQLite has one writer at a time anyway.
func (g *Gallery) lockFolders(ctx context.Context, db *ent.Client, folders ...storage.Key) error {
	if g.dialect != dialect.Postgres {
		return nil
	}
	numbers := make([]int64, len(folders))
	for i, k := range folders {
		h := fnv.New64a()
		_, _ = h.Write([]byte("folder " + string(k))) // never fails
		numbers[i] = int64(h.Sum64())
	}
	slices.Sort(numbers) // in one order, so that no two wait for each other
	for _, n := range numbers {
		if err := g.run(ctx, db, "SELECT pg_advisory_xact_lock($1)", n); err != nil {
			return err
		}
	}
	return nil
}
