// Package leases decides which of the servers that use a database does work that must not run twice at the
// same time: scans, sweeps, pruning. A lease is a row with an owner, an expiry by the clock of the database,
// and a fencing number that increases with each owner.
package leases

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
)

// DefaultTime is how long a lease is held without a renewal.
const DefaultTime = 15 * time.Second

// Config configures leases.
type Config struct {
	// Time is how long a lease is held without a renewal; 0 is DefaultTime. Three renewals are attempted in
	// this time. If a server is killed, another server takes over its work after this time.
	Time time.Duration
	Log  *slog.Logger
}

// Leases are the leases of one server. They are safe for concurrent use.
type Leases struct {
	config Config
	db     *sql.DB // nil: this is the only server that uses the database
	owner  string
}

// New returns the leases of a server on a migrated database. name is ent's name of the dialect. On SQLite
// there is only one server, which holds all leases.
func New(c Config, db *sql.DB, name string) *Leases {
	if c.Time == 0 {
		c.Time = DefaultTime
	}
	if name != dialect.Postgres {
		db = nil
	}
	return &Leases{config: c, db: db, owner: rand.Text()}
}

// Run calls work while this server holds a lease. It returns when ctx ends, or when work returns by itself.
// If the lease is lost, the context of work ends, and Run waits for the lease again. Once another server may
// hold the lease, transactions (database.DB.Transact) and storage changes with this context fail.
func (l *Leases) Run(ctx context.Context, name string, work func(context.Context)) {
	if l.db == nil {
		work(ctx)
		return
	}
	for failed := false; ctx.Err() == nil; {
		held, wait, err := l.take(ctx, name)
		if err != nil && !failed && ctx.Err() == nil { // only log the first error of a series
			l.config.Log.WarnContext(ctx, "taking a lease failed", "work", name, "error", err)
		}
		failed = err != nil
		if held == nil {
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			continue
		}
		l.config.Log.DebugContext(ctx, "this server has the lease", "work", name, "fence", held.fence)
		if held.do(ctx, work) {
			return
		}
		if ctx.Err() == nil {
			l.config.Log.WarnContext(ctx, "this server has lost the lease", "work", name, "fence", held.fence)
		}
	}
}

// take takes a lease if it has expired. Otherwise it returns nil, and how long to wait before the next attempt.
func (l *Leases) take(ctx context.Context, name string) (held *lease, wait time.Duration, err error) {
	step := l.config.Time / 5
	ctx, cancel := context.WithTimeout(ctx, l.config.Time)
	defer cancel()
	if held, err = l.claim(ctx, name); held != nil {
		return held, 0, nil
	}
	if err != nil {
		return nil, step, err
	}
	var left float64
	const query = "SELECT extract(epoch FROM expires_at - clock_timestamp()) FROM leases WHERE name = $1"
	if err := l.db.QueryRowContext(ctx, query, name).Scan(&left); err != nil {
		return nil, step, database.Translate(err)
	}
	wait = min(max(time.Duration(left*float64(time.Second)), 0), step) // others may release theirs earlier
	return nil, wait + mathrand.N(step/10+1), nil
}

// claim takes a lease if it has expired. Otherwise it returns nil.
func (l *Leases) claim(ctx context.Context, name string) (*lease, error) {
	asked := time.Now()
	h := &lease{of: l, name: name}
	err := l.db.QueryRowContext(ctx, `INSERT INTO leases (name, owner, fence, expires_at)
		VALUES ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
		ON CONFLICT (name) DO UPDATE
		SET owner = $2, fence = leases.fence + 1, expires_at = clock_timestamp() + make_interval(secs => $3)
		WHERE leases.expires_at <= clock_timestamp() RETURNING fence`, name, l.owner, l.config.Time.Seconds()).
		Scan(&h.fence)
	if err == nil {
		h.extend(asked)
		return h, nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return nil, database.Translate(err)
}

// errLost is the error of a write by a server that has lost a lease.
func errLost(name string) error {
	return fault.New(fault.Unavailable, "another server has taken over the work %q", name)
}
