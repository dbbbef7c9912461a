package database

import (
	"context"

	"github.com/safelight/safelight/ent"
)

// Fence is a condition that a transaction checks first. Its error ends the transaction. It locks the rows
// that it reads, so that the condition holds until the commit.
type Fence func(ctx context.Context, tx *ent.Client) error

type fenceKey struct{}

// WithFence returns a context whose transactions check a fence.
func WithFence(ctx context.Context, check Fence) context.Context {
	return context.WithValue(ctx, fenceKey{}, check)
}

// checkFences checks the guard of db and the fence of ctx, if there are any.
func (db *DB) checkFences(ctx context.Context, tx *ent.Tx) error {
	if db.isGuarded(ctx) {
		if err := db.guard.Lock(ctx, tx.Client()); err != nil {
			return err
		}
	}
	if check, ok := ctx.Value(fenceKey{}).(Fence); ok {
		return check(ctx, tx.Client())
	}
	return nil
}
