package graph

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/fault"
)

// presenter shows an error: a fault with its code, message and field; an error about the request itself,
// which bears a place in the document or its code, as it is; anything else as INTERNAL, logged.
func presenter(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := &gqlerror.Error{Path: graphql.GetPath(ctx)}
		var ours *fault.Error
		var theirs *gqlerror.Error
		switch {
		case errors.As(err, &ours):
		case errors.As(err, &theirs) && theirs.Unwrap() == nil:
			if theirs.Path == nil {
				theirs.Path = shown.Path
			}
			extend(ctx, theirs, "GRAPHQL_VALIDATION_FAILED", "")
			return theirs
		case errors.As(err, &theirs) && len(theirs.Path) > len(shown.Path):
			// the path goes on into an argument: it could not be read. Its text may hold what was sent.
			ours = fault.OnField(fault.Invalid, theirs.Path[len(shown.Path):].String(), "argument %s is of a wrong type or out of range", theirs.Path[len(shown.Path):])
		default:
			ours = fault.Of(err)
		}
		if ours.Code == fault.Internal {
			log.ErrorContext(ctx, "graphql", "requestId", fault.RequestID(ctx), "path", shown.Path.String(), "error", err)
			ours = fault.New(fault.Internal, "Internal error")
		}
		shown.Message = ours.Message
		extend(ctx, shown, string(ours.Code), ours.Field)
		return shown
	}
}

// extend sets what a client goes by; a code that is there stays.
func extend(ctx context.Context, e *gqlerror.Error, code, field string) {
	if e.Extensions == nil {
		e.Extensions = map[string]any{}
	}
	if e.Extensions["code"] == nil {
		e.Extensions["code"] = code
	}
	if field != "" {
		e.Extensions["field"] = field
	}
	if id := fault.RequestID(ctx); id != "" {
		e.Extensions["requestId"] = id
	}
}

// recovered turns a panic of a resolver into an error, and logs where it was.
func recovered(log *slog.Logger) graphql.RecoverFunc {
	return func(ctx context.Context, p any) error {
		log.ErrorContext(ctx, "graphql panic", "requestId", fault.RequestID(ctx), "panic", p, "stack", string(debug.Stack()))
		return fault.New(fault.Internal, "Internal error")
	}
}
