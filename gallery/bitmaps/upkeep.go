package bitmaps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
)

// Config says what a Keeper keeps. Zero values are those of a server.
type Config struct {
	MinFiles int  // that the library has; 0 is 50,000: fewer are counted by their rows. Negative: however few
	Common   int  // how many files have a word or tag that is kept, at least; 0 is 10,000
	Eager    bool // each call makes what is not up to date, however little, without rest
	Now      func() time.Time
	// Wait waits before the nth look, from 1, for writers of PostgreSQL that do not log; false gives up until the next call. nil waits up to 5 s in all.
	Wait func(ctx context.Context, n int) bool
}

// The limits of a Keeper.
const (
	minFiles   = 50_000
	commonWord = 10_000
	// busyRows is how many files may come between two calls of Upkeep. While more come, as in a first scan, it waits.
	busyRows = 1000
	// newRows is how many new files are counted by their rows before they are added, manyChanges how many that changed.
	newRows     = 1000
	manyChanges = 2000
	// looks is how often log looks for writers, look how long it waits before each.
	looks = 250
	look  = 20 * time.Millisecond
	// rest is how many times longer than it worked it rests before it works again.
	rest = 50
)

// Keeper keeps the bitmaps of a database. Create it with New.
type Keeper struct {
	db     *database.DB
	config Config
	seen   int // the largest id at the last call
	resume time.Time
}

// New returns the keeper of the bitmaps of a database.
func New(db *database.DB, c Config) *Keeper {
	if c.MinFiles == 0 {
		c.MinFiles = minFiles
	}
	if c.Common == 0 {
		c.Common = commonWord
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	return &Keeper{db: db, config: c, seen: -busyRows}
}

// Upkeep brings the bitmaps up to date if many files are new or have changed; one call at a time. Once all are made, it works at most a fiftieth
// of the time. Several servers may call it on one database: of those who write a block at once one does.
func (k *Keeper) Upkeep(ctx context.Context) error {
	s, err := k.state(ctx)
	if err != nil {
		return database.Translate(err)
	}
	grown, began := s.last-k.seen, k.config.Now()
	k.seen = s.last
	if !k.config.Eager && (grown > busyRows || began.Before(k.resume) || s.current() || s.logged == 0 && s.pending == 0 && s.last < k.config.MinFiles) {
		return nil
	}
	if s.files, err = number(ctx, k.db, "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM entry_counts WHERE kind = 1 AND NOT hidden"); err != nil {
		return database.Translate(err)
	}
	if s.files < k.config.MinFiles {
		return k.drop(ctx, s)
	}
	missing := len(s.blocks) <= s.logged/BlockSize
	v, err := k.vocabulary(ctx, s)
	if errors.Is(err, errChosen) {
		return nil // the next call makes what is missing
	}
	if err != nil {
		return database.Translate(err)
	}
	if s.logged == 0 || s.last > s.logged+newRows || k.config.Eager {
		logged, err := k.log(ctx, v.version)
		if err != nil || !logged && s.logged == 0 {
			return err
		}
		if logged { // else files that are new wait, but not those that have changed
			s.logged = s.last
		}
	}
	if err = k.makeBlocks(ctx, s, v); err == nil && !missing {
		k.resume = k.config.Now().Add(rest * k.config.Now().Sub(began))
	}
	return err
}

// drop removes all bitmaps, if there are some.
func (k *Keeper) drop(ctx context.Context, s *state) error {
	if s.logged == 0 && s.pending == 0 {
		return nil
	}
	return k.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := k.db.LockNames(ctx, tx.Client(), lockName); err != nil {
			return err
		}
		for _, statement := range []string{"UPDATE bitmap_state SET logged = 0, pending = 0, files = 0, changed = 0, terms = '[]', version = version + 1",
			"DELETE FROM bitmap_blocks", "DELETE FROM bitmap_terms", "DELETE FROM bitmaps", "DELETE FROM bitmap_changes"} {
			if err := exec(ctx, tx.Client(), statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// log makes triggers log the changes of all files that there are now, while the version of the terms is that. A writer of PostgreSQL that began before does not log:
// the others do from the first step on, and the second, from which on blocks may have these files, waits until no such writer is left. It returns false if
// some take long.
func (k *Keeper) log(ctx context.Context, version int) (done bool, err error) {
	const all = "(SELECT coalesce(max(id), 0) FROM entries)"
	if !k.db.IsPostgres() { // which has one writer
		return k.update(ctx, fmt.Sprintf("logged = "+all+" WHERE version = %d", version))
	}
	if done, err := k.update(ctx, fmt.Sprintf("pending = greatest(pending, "+all+") WHERE version = %d", version)); err != nil || !done {
		return false, err
	}
	upto, err := number(ctx, k.db, "SELECT pending FROM bitmap_state")
	if err != nil {
		return false, database.Translate(err)
	}
	if ended, err := k.writersEnd(ctx); err != nil || !ended {
		return false, err
	}
	return k.update(ctx, fmt.Sprintf("logged = greatest(logged, %d) WHERE pending >= %[1]d AND version = %d", upto, version))
}

// update changes the state, and reports whether it meets the condition.
func (k *Keeper) update(ctx context.Context, set string) (done bool, err error) {
	err = k.db.Transact(ctx, func(tx *ent.Tx) error {
		result, err := tx.Client().ExecContext(ctx, "UPDATE bitmap_state SET "+set)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		done = n > 0
		return err
	})
	return done, err
}

// writersEnd waits until all transactions that write files or tags now have ended. It returns false if some take long.
func (k *Keeper) writersEnd(ctx context.Context) (bool, error) {
	first, err := k.writers(ctx)
	for n := 1; err == nil && len(first) > 0; n++ {
		if !k.config.Wait(ctx, n) {
			return false, database.Translate(ctx.Err())
		}
		var now map[string]bool
		now, err = k.writers(ctx)
		maps.DeleteFunc(first, func(writer string, _ bool) bool { return !now[writer] })
	}
	return err == nil, database.Translate(err)
}

// wait is the Wait of a server.
func wait(ctx context.Context, n int) bool {
	if n > looks {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(look):
		return true
	}
}

// writers returns the transactions that have written files or tags: they hold this lock until they have ended and others see what they wrote.
func (k *Keeper) writers(ctx context.Context) (map[string]bool, error) {
	list, err := k.db.QueryContext(ctx, `SELECT DISTINCT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND relation IN ('entries'::regclass, 'taggings'::regclass) AND mode = 'RowExclusiveLock' AND granted`)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	return found, eachRow(list, func() error {
		var writer string
		err := list.Scan(&writer)
		found[writer] = true
		return err
	})
}

// makeBlocks makes the blocks that are missing, have other terms, are not whole or of which many files have changed, from the first: a count
// reads the rows of files after the last.
func (k *Keeper) makeBlocks(ctx context.Context, s *state, v *vocabulary) error {
	blocks := s.logged/BlockSize + 1
	for number := range blocks {
		have, ok := s.blocks[number]
		changed := s.total > manyChanges && s.changes[number] > manyChanges/2/blocks
		if ok && have.upto >= s.end(number) && have.terms == v.version && !changed && !k.config.Eager {
			continue
		}
		b, err := k.read(ctx, number, v)
		if err != nil {
			return database.Translate(err)
		}
		if err := k.write(ctx, b); err != nil {
			return err
		}
	}
	return nil
}
