package database

import (
	"context"

	"github.com/safelight/safelight/ent"
)

// Guard is a fence that every transaction of a DB checks, and that single statements of PostgreSQL can include.
type Guard interface {
	// Lock is the Fence.
	Lock(ctx context.Context, tx *ent.Client) error
	// Check fails as Lock does. It takes no lock and does not wait.
	Check(ctx context.Context, db *ent.Client) error
	// Row is a SELECT that locks one row on PostgreSQL, or none if the condition does not hold.
	Row() string
	// Refused is the error if the condition does not hold.
	Refused() error
}

// Guarded returns a DB over the same database whose transactions check g. Statements outside of transactions do not.
func (db *DB) Guarded(g Guard) *DB {
	guarded := *db
	guarded.guard = g
	return &guarded
}

// Guard returns the guard; nil if transactions are not guarded.
func (db *DB) Guard() Guard { return db.guard }

// CheckGuard returns the error of the guard if its condition does not hold now.
func (db *DB) CheckGuard(ctx context.Context) error {
	if db.guard == nil {
		return nil
	}
	return Translate(db.guard.Check(ctx, db.Client))
}

type unguardedKey struct{}

// WithoutGuard returns a context whose transactions do not check the guard. It is for completing what has begun while
// the condition held.
func WithoutGuard(ctx context.Context) context.Context {
	return context.WithValue(ctx, unguardedKey{}, true)
}

// isGuarded reports whether a transaction with this context checks the guard.
func (db *DB) isGuarded(ctx context.Context) bool {
	return db.guard != nil && ctx.Value(unguardedKey{}) == nil
}
