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

// LimitIdle is an expression for PostgreSQL statements that take a lock for which other servers wait. It ends
// the transaction after 10 s without a statement. Otherwise a server that is frozen or disconnected would
// block all others.
const LimitIdle = "set_config('idle_in_transaction_session_timeout', '10s', true)"

// Transact runs do in a transaction. It commits if do returns nil, and rolls back otherwise. do runs again
// after a deadlock, after a conflict over a path that another transaction has just inserted, and when the
// reserve has freed space for an essential write. So do must not have side effects outside the database
// unless they are idempotent.
//
// It returns the errors of Translate and of the fence of ctx, and fault.Unavailable from Admit.
func (db *DB) Transact(ctx context.Context, do func(*ent.Tx) error) error {
	if err := db.Admit(ctx); err != nil {
		return err
	}
	return db.RetryOnFullDisk(ctx, func() error { return db.transact(ctx, do) })
}

// TransactMany is Transact for thousands of rows. On SQLite, it uses a larger page cache, because with the
// default one many pages would be written repeatedly. Other transactions keep the default, because there may
// be twenty connections.
func (db *DB) TransactMany(ctx context.Context, do func(*ent.Tx) error) error {
	return db.Transact(ctx, func(tx *ent.Tx) error {
		if db.IsPostgres() {
			return do(tx)
		}
		if _, err := tx.ExecContext(ctx, "PRAGMA cache_size = -65536"); err != nil { // KiB
			return err
		}
		defer func() { // it only fails if the connection is lost
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
		// The delay is random, so that the same transactions do not collide again.
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
		// SQLite's writers poll for its lock, and some would starve until their timeout. Here they queue
		// instead.
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
		if !ended { // do panicked: do not block the next writer
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
		// Another transaction has indexed a path whose rows this one removed. The next attempt removes those,
		// too.
		return strings.Contains(err.Error(), "entries_path_key")
	}
	return false
}

// LockNames makes transactions that lock the same name run one after another, across all servers that use the
// database. A lock ends with its transaction. tx is the transaction's client. SQLite has a single writer
// anyway.
func (db *DB) LockNames(ctx context.Context, tx *ent.Client, names ...string) error {
	return db.lockNames(ctx, tx, "pg_advisory_xact_lock", names)
}

// ShareName takes a shared lock of a name. It does not conflict with other shared locks, only with LockNames.
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
	// A consistent order avoids deadlocks.
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

// Once runs a single statement as a separate transaction. With a fence in ctx or a guard, it costs more round
// trips. It returns the errors of Transact.
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
// many values, whose row counts PostgreSQL overestimates. read must not write. It returns the errors of Translate.
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
