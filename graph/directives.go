package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// require returns the directive that restricts a field to callers with the scope s.
func require(s auth.Scope) func(context.Context, any, graphql.Resolver) (any, error) {
	return func(ctx context.Context, _ any, next graphql.Resolver) (any, error) {
		if err := needs(ctx, s); err != nil {
			return nil, err
		}
		return next(ctx)
	}
}

func needs(ctx context.Context, s auth.Scope) error {
	switch i := auth.FromContext(ctx); {
	case i.IsAnonymous():
		return fault.New(fault.Unauthenticated, "no token was sent")
	case !i.Has(s):
		return fault.New(fault.Forbidden, "this needs scope %s", s)
	}
	return nil
}

// confirmed is the directive for sensitive changes, which require a confirmed session.
func confirmed(ctx context.Context, _ any, next graphql.Resolver) (any, error) {
	if err := auth.CheckConfirmed(ctx); err != nil {
		return nil, err
	}
	return next(ctx)
}

// authenticated restricts root fields, except those for introspection, to callers with the scope read.
// Directives in the schema add further restrictions. The server decides whether requests without a token are
// executed.
func authenticated(ctx context.Context, next graphql.Resolver) (any, error) {
	f := graphql.GetFieldContext(ctx)
	if strings.HasPrefix(f.Field.Name, "__") {
		return next(ctx)
	}
	if f.Object == "Query" || f.Object == "Mutation" || f.Object == "Subscription" {
		if err := needs(ctx, auth.ScopeRead); err != nil {
			return nil, err
		}
	}
	return next(ctx)
}
