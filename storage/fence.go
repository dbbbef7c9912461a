package storage

import "context"

type fenceKey struct{}

// WithFence returns a context with which stores call check before each write, buckets before each object. An error of
// check ends the change and is returned. check must be safe for concurrent use and fast.
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
