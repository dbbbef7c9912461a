package bitmaps

import (
	"context"
	"errors"
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
	if !k.config.Eager && (grown > busyRows || began.Before(k.resume) || s.current() || s.logged == 0 && s.last < k.config.MinFiles) {
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
		logged, err := k.log(ctx)
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
	if s.logged == 0 {
		return nil
	}
	return k.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := k.db.LockNames(ctx, tx.Client(), lockName); err != nil {
			return err
		}
		for _, statement := range []string{"UPDATE bitmap_state SET logged = 0, files = 0, changed = 0, terms = '[]', version = version + 1",
			"DELETE FROM bitmap_blocks", "DELETE FROM bitmap_terms", "DELETE FROM bitmaps", "DELETE FROM bitmap_changes"} {
			if err := exec(ctx, tx.Client(), statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// log makes triggers log the changes of all files that there are now. It returns false if writers are busy on PostgreSQL: one that began before
// would not log.
func (k *Keeper) log(ctx context.Context) (done bool, err error) {
	err = k.db.Transact(ctx, func(tx *ent.Tx) error {
		if k.db.IsPostgres() {
			if err := exec(ctx, tx.Client(), "LOCK TABLE entries, taggings IN SHARE MODE NOWAIT"); err != nil { // writers would wait behind one that waits
				return err
			}
		}
		return exec(ctx, tx.Client(), "UPDATE bitmap_state SET logged = (SELECT coalesce(max(id), 0) FROM entries)")
	})
	var locked interface{ SQLState() string }
	if errors.As(err, &locked) && locked.SQLState() == "55P03" {
		return false, nil
	}
	return err == nil, err
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
