package database

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"sort"
	"strings"
	"time"

	"github.com/safelight/safelight/ent"
)

// maxAttempts limits the attempts of a transaction that the database aborts because of a conflict.
const maxAttempts = 10

// LimitIdle is an expression for PostgreSQL statements that lock something for which other servers wait: it ends the
// transaction after 10 s without a statement. Otherwise a server that is frozen or cut off would block all others.
const LimitIdle = "set_config('idle_in_transaction_session_timeout', '10s', true)"

// Transact runs do in a transaction, which it commits if do returns nil and rolls back otherwise. do runs again after a
// deadlock, after a conflict over a path that another transaction has just inserted, or when the reserve has freed
// space for an essential write. So do must be idempotent outside of the database. Errors are those of Translate, of the
// fence of ctx, and fault.Unavailable of Admit.
func (db *DB) Transact(ctx context.Context, do func(*ent.Tx) error) error {
	if err := db.Admit(ctx); err != nil {
		return err
	}
	return db.RetryOnFullDisk(ctx, func() error { return db.transact(ctx, do) })
}

// TransactMany is Transact for thousands of rows. SQLite gets a larger page cache for it: with the usual one it would
// write many pages repeatedly. Other transactions keep the usual one, because there may be twenty connections.
func (db *DB) TransactMany(ctx context.Context, do func(*ent.Tx) error) error {
	return db.Transact(ctx, func(tx *ent.Tx) error {
		if db.IsPostgres() {
			return do(tx)
		}
		if _, err := tx.ExecContext(ctx, "PRAGMA cache_size = -65536"); err != nil { // KiB
			return err
		}
		defer func() { // it fails only with the connection
			_, _ = tx.ExecContext(context.WithoutCancel(ctx), "PRAGMA cache_size = -2000") // SQLite's default
		}()
		return do(tx)
	})
}

func (db *DB) transact(ctx context.Context, do func(*ent.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := db.transactOnce(ctx, do)
		if attempt == maxAttempts || !isAborted(err) {
			return err
		}
		// a random delay, or the same transactions collide again
		delay := time.NewTimer(time.Duration(1+rand.IntN(20*attempt)) * time.Millisecond)
		select {
		case <-ctx.Done():
			delay.Stop()
			return err
		case <-delay.C:
		}
	}
}

func (db *DB) transactOnce(ctx context.Context, do func(*ent.Tx) error) error {
	if !db.IsPostgres() {
		// writers of SQLite poll its lock, and some would starve until their timeout: here they queue
		select {
		case db.writer <- struct{}{}:
			defer func() { <-db.writer }()
		case <-ctx.Done():
			return Translate(ctx.Err())
		}
	}
	tx, err := db.Tx(ctx)
	if err != nil {
		return Translate(err)
	}
	ended := false
	defer func() {
		if !ended { // do panicked: the next writer must not wait for this transaction
			_ = tx.Rollback()
		}
	}()
	if err = db.checkFences(ctx, tx); err == nil {
		err = do(tx)
	}
	ended = true
	if err != nil {
		return errors.Join(Translate(err), tx.Rollback())
	}
	return Translate(tx.Commit())
}

// isAborted reports whether a deadlock or a concurrent transaction ended this one, so that another attempt may succeed.
func isAborted(err error) bool {
	var state interface{ SQLState() string }
	if !errors.As(err, &state) {
		return false
	}
	switch state.SQLState() {
	case "40P01", "40001":
		return true
	case "23505":
		// Another transaction has indexed a path whose rows this one removed: the next attempt removes those, too.
		return strings.Contains(err.Error(), "entries_path_key")
	}
	return false
}

// LockNames makes transactions that lock the same name run one after another, across all servers of the database. A
// lock ends with its transaction. tx is the transaction's client. SQLite has one writer at a time anyway.
func (db *DB) LockNames(ctx context.Context, tx *ent.Client, names ...string) error {
	return db.lockNames(ctx, tx, "pg_advisory_xact_lock", names)
}

// ShareName is LockNames for one name, but lets others share it meanwhile: only LockNames waits for it, and it for
// that.
func (db *DB) ShareName(ctx context.Context, tx *ent.Client, name string) error {
	return db.lockNames(ctx, tx, "pg_advisory_xact_lock_shared", []string{name})
}

func (db *DB) lockNames(ctx context.Context, tx *ent.Client, lock string, names []string) error {
	if !db.IsPostgres() {
		return nil
	}
	numbers := make([]int64, len(names))
	for i, name := range names {
		numbers[i] = LockNumber(name)
	}
	// one order for everyone avoids deadlocks
	sort.Slice(numbers, func(i, j int) bool { return numbers[i] < numbers[j] })
	_, err := tx.ExecContext(
		ctx, "SELECT "+LimitIdle+", "+lock+"(n) FROM unnest($1::bigint[]) AS n", Array(numbers),
	)
	return err
}

// LockNumber returns the number of PostgreSQL's advisory lock for a name.
func LockNumber(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return int64(h.Sum64())
}

// Once runs a single statement as a transaction of its own. A fence in ctx or a guard costs more round trips. The
// errors are those of Transact.
func (db *DB) Once(ctx context.Context, do func(*ent.Client) error) error {
	if _, fenced := ctx.Value(fenceKey{}).(Fence); fenced || db.isGuarded(ctx) {
		return db.Transact(ctx, func(tx *ent.Tx) error { return do(tx.Client()) })
	}
	if err := db.Admit(ctx); err != nil {
		return err
	}
	return Translate(do(db.Client))
}

// Lookup runs read with a client for which PostgreSQL avoids sequential scans and JIT compilation. It is for lookups of
// many values, whose row counts PostgreSQL overestimates. read must not write. Errors are those of Translate.
func (db *DB) Lookup(ctx context.Context, read func(*ent.Client) error) error {
	if !db.IsPostgres() {
		return Translate(read(db.Client))
	}
	tx, err := db.Tx(ctx)
	if err != nil {
		return Translate(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	const plain = "SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)"
	if _, err := tx.ExecContext(ctx, plain); err != nil {
		return Translate(err)
	}
	return Translate(read(tx.Client()))
}
