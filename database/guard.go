package database

import (
	"context"

	"github.com/safelight/safelight/ent"
)

// Guard is a fence that every transaction of a DB checks. Single statements on PostgreSQL can include its
// condition.
type Guard interface {
	// Lock implements Fence.
	Lock(ctx context.Context, tx *ent.Client) error
	// Check returns the same errors as Lock, but takes no lock and does not wait.
	Check(ctx context.Context, db *ent.Client) error
	// Row is a SELECT that locks a row on PostgreSQL. It returns no row if the condition does not hold.
	Row() string
	// Refused returns the error for a condition that does not hold.
	Refused() error
}

// Guarded returns a DB for the same database whose transactions check g. Statements outside transactions do
// not.
func (db *DB) Guarded(g Guard) *DB {
	guarded := *db
	guarded.guard = g
	return &guarded
}

// Guard returns the guard; nil if transactions are not guarded.
func (db *DB) Guard() Guard { return db.guard }

// CheckGuard returns the error of the guard if its condition does not hold.
func (db *DB) CheckGuard(ctx context.Context) error {
	if db.guard == nil {
		return nil
	}
	return Translate(db.guard.Check(ctx, db.Client))
}

type unguardedKey struct{}

// WithoutGuard returns a context whose transactions do not check the guard. Use it to complete what was
// started while the condition held.
func WithoutGuard(ctx context.Context) context.Context {
	return context.WithValue(ctx, unguardedKey{}, true)
}

// isGuarded reports whether a transaction with this context checks the guard.
func (db *DB) isGuarded(ctx context.Context) bool {
	return db.guard != nil && ctx.Value(unguardedKey{}) == nil
}
