package database

import (
	"context"

	"github.com/safelight/safelight/ent"
)

// Fence is a condition that a transaction checks before anything else; its error ends the transaction. It locks what it has read, so that
// the condition holds until the commit.
type Fence func(ctx context.Context, tx *ent.Client) error

type fenceKey struct{}

// WithFence returns a context whose transactions check a fence.
func WithFence(ctx context.Context, check Fence) context.Context {
	return context.WithValue(ctx, fenceKey{}, check)
}

// checkFence checks the fence of a context, if it has one.
func checkFence(ctx context.Context, tx *ent.Tx) error {
	if check, ok := ctx.Value(fenceKey{}).(Fence); ok {
		return check(ctx, tx.Client())
	}
	return nil
}
