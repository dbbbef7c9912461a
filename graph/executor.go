package graph

import (
	"context"
	"fmt"
	"log/slog"
	"maps"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/exec"
)

// Config limits an operation.
type Config struct {
	MaxValues int   // maximum number of values in a response, see countValues; required
	MaxBytes  int64 // maximum size of a response; required
	Persisted int   // maximum number of automatic persisted queries; 0: they are off

	// MemoryOf returns the memory counter for the response to the request of a context. nil: no limit.
	MemoryOf func(context.Context) Memory
}

// NewExecutor returns the executor of operations. It takes the identity from the context. It caches parsed
// documents, so the strings that are passed to it must never change.
func NewExecutor(c Config, rules Rules, log *slog.Logger) (*executor.Executor, error) {
	if c.MaxValues <= 0 || c.MaxBytes <= 0 {
		return nil, fmt.Errorf(
			"an operation may have %d values and %d bytes, expected positive limits", c.MaxValues, c.MaxBytes,
		)
	}
	if c.MemoryOf == nil {
		c.MemoryOf = func(context.Context) Memory { return unlimited{} }
	}
	source := withoutDefer(exec.NewExecutableSchema(exec.Config{}).Schema())
	executable := exec.NewExecutableSchema(exec.Config{
		Schema:    source,
		Resolvers: &resolver{rules},
		Directives: exec.DirectiveRoot{
			Edit: require(auth.ScopeWrite), Admin: require(auth.ScopeAdmin), Confirmed: confirmed,
		},
	})
	e := executor.New(executable)
	e.SetErrorPresenter(presenter(log, source))
	e.SetRecoverFunc(recovered(log))
	e.SetParserTokenLimit(maxTokens)
	documents := parsedDocuments{newDocumentCache[*ast.QueryDocument](maxParsed, maxParsedBytes)}
	e.SetQueryCache(documents)
	e.Use(persisted{newDocumentCache[string](c.Persisted, maxPersistedBytes)})
	e.Use(documentLimits{documents, namesOf(source)})
	e.Use(shape{c, source})
	e.Use(metered{c})
	e.Use(extension.Introspection{})
	e.AroundFields(authenticated)
	return e, nil
}

// withoutDefer returns a copy of the schema without @defer, which the parser adds to every schema, because
// responses are sent in one piece.
func withoutDefer(s *ast.Schema) *ast.Schema {
	own := *s
	own.Directives = maps.Clone(s.Directives)
	delete(own.Directives, "defer")
	return &own
}

// shape makes the checks that depend on the variables. It rejects operations with too many root fields or values,
// inputs that violate @oneOf, and subscriptions without exactly one root field. The validation does not reject the
// latter, because it does not distinguish aliases of a field.
type shape struct {
	Config
	schema *ast.Schema
}

// ExtensionName implements graphql.HandlerExtension.
func (shape) ExtensionName() string { return "Shape" }

// Validate implements graphql.HandlerExtension.
func (shape) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (s shape) MutateOperationContext(ctx context.Context, o *graphql.OperationContext) *gqlerror.Error {
	n := len(graphql.CollectFields(o, o.Operation.SelectionSet, []string{"Query", "Mutation", "Subscription"}))
	if o.Operation.Operation == ast.Subscription && n != 1 {
		e := gqlerror.ErrorPosf(o.Operation.Position, "the subscription selects %d fields, expected one", n)
		extend(ctx, e, "GRAPHQL_VALIDATION_FAILED", "")
		return e
	}
	if n > maxRootFields {
		return refusal(ctx, fault.New(fault.Invalid, "the operation has %d root fields, expected at most %d", n,
			maxRootFields))
	}
	if err := checkOneOf(s.schema, o); err != nil {
		return refusal(ctx, err)
	}
	values := countValues(s.schema, o)
	if err := checkValues(values, s.MaxValues); err != nil {
		return refusal(ctx, err)
	}
	o.Stats.SetExtension(valuesExtension, values)
	return nil
}
