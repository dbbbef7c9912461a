package fault

import "context"

type requestKey struct{}

// WithRequestID returns a context with the id of the request, which appears in logged and shown errors.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestID returns the id in ctx; empty if there is none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}
