package graph

import (
	"context"
	"log/slog"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/exec"
)

// Config bounds what one operation may ask. A zero field is the default in its comment.
type Config struct {
	MaxTokens     int // of the document; 15,000
	MaxDepth      int // of nested fields; 15
	MaxComplexity int // fields in all, fragments counted where they are used; 2,000
	MaxRootFields int // root fields, aliases included; 50
}

func (c Config) withDefaults() Config {
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&c.MaxTokens, 15_000)
	set(&c.MaxDepth, 15)
	set(&c.MaxComplexity, 2_000)
	set(&c.MaxRootFields, 50)
	return c
}

// NewExecutor returns what answers operations. Identities are taken from the context; strings that it
// is given must not change afterwards, for it keeps parsed documents.
func NewExecutor(c Config, g *gallery.Gallery, log *slog.Logger) (*executor.Executor, error) {
	c = c.withDefaults()
	schema := exec.NewExecutableSchema(exec.Config{
		Resolvers:  &resolver{gallery: g},
		Directives: exec.DirectiveRoot{Edit: require(auth.ScopeWrite), Admin: require(auth.ScopeAdmin)},
	})
	e := executor.New(schema)
	e.SetErrorPresenter(presenter(log, schema.Schema()))
	e.SetRecoverFunc(recovered(log))
	e.SetParserTokenLimit(c.MaxTokens)
	e.SetQueryCache(lru.New[*ast.QueryDocument](1000))
	e.Use(shape{c})
	e.Use(extension.Introspection{})
	e.AroundFields(authenticated)
	return e, nil
}

// shape refuses documents that are too deep or too wide.
type shape struct{ Config }

// ExtensionName implements graphql.HandlerExtension.
func (shape) ExtensionName() string { return "Shape" }

// Validate implements graphql.HandlerExtension.
func (shape) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (s shape) MutateOperationContext(ctx context.Context, o *graphql.OperationContext) *gqlerror.Error {
	refuse := func(format string, a ...any) *gqlerror.Error {
		f := fault.New(fault.Invalid, format, a...)
		e := gqlerror.Errorf("%s", f.Message)
		extend(ctx, e, string(f.Code), "")
		return e
	}
	m := measures{known: map[*ast.FragmentDefinition]measure{}, most: s.MaxComplexity + 1}
	all := m.of(o.Operation.SelectionSet)
	if all.depth > s.MaxDepth {
		return refuse("the operation is nested too deeply, expected at most %d fields in each other", s.MaxDepth)
	}
	if all.fields > s.MaxComplexity {
		return refuse("the operation asks too many fields, expected at most %d with fragments counted where they are used", s.MaxComplexity)
	}
	if n := len(graphql.CollectFields(o, o.Operation.SelectionSet, []string{"Query", "Mutation"})); n > s.MaxRootFields {
		return refuse("the operation has %d root fields, expected at most %d", n, s.MaxRootFields)
	}
	return nil
}

// measure is how deep a selection is and how many fields it has.
type measure struct{ depth, fields int }

// measures measures each fragment once: a chain of fragments that use the next one twice would
// otherwise take for ever.
type measures struct {
	known map[*ast.FragmentDefinition]measure
	most  int // fields are not counted beyond it
}

// of measures a selection. Introspection is left out: it nests deeper than data does and is bounded by
// the schema.
func (m measures) of(set ast.SelectionSet) measure {
	var all measure
	for _, s := range set {
		var one measure
		switch s := s.(type) {
		case *ast.Field:
			if s.Name == "__schema" || s.Name == "__type" {
				continue
			}
			one = m.of(s.SelectionSet)
			one.depth, one.fields = one.depth+1, one.fields+1
		case *ast.InlineFragment:
			one = m.of(s.SelectionSet)
		case *ast.FragmentSpread:
			one = m.fragment(s.Definition)
		}
		all.depth, all.fields = max(all.depth, one.depth), min(all.fields+one.fields, m.most)
	}
	return all
}

func (m measures) fragment(f *ast.FragmentDefinition) measure {
	if f == nil {
		return measure{}
	}
	known, ok := m.known[f]
	if !ok {
		known = m.of(f.SelectionSet)
		m.known[f] = known
	}
	return known
}
