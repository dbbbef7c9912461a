package fault

import "context"

type requestKey struct{}

// WithRequestID returns a context of the request with that id, under which its failures are logged and shown.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestID returns the id that ctx carries; empty when it carries none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}
