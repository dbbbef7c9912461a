package storage

import "context"

type fenceKey struct{}

// WithFence returns a context whose changes of a storage call check before they write, and those of a bucket before each object. Its
// error ends the change and is returned. check must be safe for concurrent use and, as a rule, fast.
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
