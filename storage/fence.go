package storage

import "context"

type fenceKey struct{}

// WithFence returns a context that makes stores call check before each write, and buckets before each object. If check
// returns an error, the change stops with that error. check must be fast and safe for concurrent use.
func WithFence(ctx context.Context, check func(context.Context) error) context.Context {
	if outer, ok := ctx.Value(fenceKey{}).(func(context.Context) error); ok {
		inner := check
		check = func(ctx context.Context) error {
			if err := outer(ctx); err != nil {
				return err
			}
			return inner(ctx)
		}
	}
	return context.WithValue(ctx, fenceKey{}, check)
}

func checkFence(ctx context.Context) error {
	if check, ok := ctx.Value(fenceKey{}).(func(context.Context) error); ok {
		return check(ctx)
	}
	return nil
}
