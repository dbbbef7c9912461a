package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/safelight/safelight/fault"
)

// The limits of a document. A document within these limits is validated in a few milliseconds.
const (
	maxDocument    = 256 << 10 // bytes, without the variables
	maxTokens      = 10_000
	maxName        = 64  // bytes of a name or number
	maxBrackets    = 40  // nested braces, brackets and parentheses
	maxDefinitions = 100 // operations and fragments, each
	maxVariables   = 200 // in all operations together
	maxDirectives  = 500
	maxDepth       = 15    // nesting of fields
	maxFields      = 2_000 // per operation, including fragments wherever they are used
	maxRootFields  = 50    // including aliases
	maxUnknown     = 50    // names that are not in the schema; validation compares each with all that are
)

// documentLimits rejects documents that would be expensive to validate. It runs before validation, first on
// the tokens, then on the parsed document. Cached documents were accepted before.
type documentLimits struct {
	cache graphql.Cache[*ast.QueryDocument]
	names map[string]bool // names of types and fields in the schema
}

// namesOf returns the names of all types and fields of a schema.
func namesOf(schema *ast.Schema) map[string]bool {
	names := map[string]bool{"__typename": true, "__schema": true, "__type": true}
	for _, t := range schema.Types {
		names[t.Name] = true
		for _, f := range t.Fields {
			names[f.Name] = true
		}
	}
	return names
}

// ExtensionName implements graphql.HandlerExtension.
func (documentLimits) ExtensionName() string { return "Admission" }

// Validate implements graphql.HandlerExtension.
func (documentLimits) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator.
func (a documentLimits) MutateOperationParameters(ctx context.Context, p *graphql.RawParams) *gqlerror.Error {
	if document, known := a.cache.Get(ctx, p.Query); known {
		return checkOperationName(ctx, document, p.OperationName)
	}
	source := &ast.Source{Input: p.Query}
	if err := scan(source); err != nil {
		return refusal(ctx, err)
	}
	document, err := parser.ParseQueryWithTokenLimit(source, maxTokens)
	if err != nil {
		return nil // the executor reports that error with its position in the document
	}
	if err := a.weigh(document); err != nil {
		return refusal(ctx, err)
	}
	return checkOperationName(ctx, document, p.OperationName)
}

// checkOperationName returns an error if it is unclear which operation of the document to run. gqlgen's own error does
// not say what is missing.
func checkOperationName(ctx context.Context, document *ast.QueryDocument, name string) *gqlerror.Error {
	n := len(document.Operations)
	if document.Operations.ForName(name) != nil || n == 0 {
		return nil
	}
	e := gqlerror.Errorf("the document has no operation named %s", fault.Quote(name))
	if name == "" {
		e = gqlerror.Errorf("the document has %d operations, expected operationName to name one of them", n)
	}
	extend(ctx, e, "GRAPHQL_VALIDATION_FAILED", "operationName")
	return e
}

// refusal returns the GraphQL error for a rejected document or operation.
func refusal(ctx context.Context, err error) *gqlerror.Error {
	f := fault.Of(err)
	e := gqlerror.Errorf("%s", f.Message)
	extend(ctx, e, string(f.Code), f.Field)
	if seconds := f.RetrySeconds(); seconds > 0 {
		e.Extensions[fault.RetryExtension] = seconds
	}
	return e
}

// scan checks the length, tokens, names and brackets of the document. It ignores invalid tokens, which the
// parser reports.
func scan(source *ast.Source) error {
	if len(source.Input) > maxDocument {
		return fault.New(fault.Invalid,
			"the document is %d bytes long, expected at most %d; put long values into variables", len(source.Input),
			maxDocument)
	}
	l := lexer.New(source)
	open := 0
	for n := 0; ; n++ {
		token, err := l.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return nil
		}
		if n >= maxTokens {
			return fault.New(fault.Invalid,
				"the document has more than %d tokens, expected fewer; put long values into variables", maxTokens)
		}
		switch token.Kind {
		case lexer.BraceL, lexer.BracketL, lexer.ParenL:
			open++
		case lexer.BraceR, lexer.BracketR, lexer.ParenR:
			open--
		case lexer.Name, lexer.Int, lexer.Float:
			if len(token.Value) > maxName {
				return fault.New(
					fault.Invalid, "a name or number of the document is %d bytes long, expected at most %d",
					len(token.Value), maxName)
			}
		}
		if open > maxBrackets {
			return fault.New(fault.Invalid, "the document is nested too deeply, expected at most %d levels of brackets",
				maxBrackets)
		}
	}
}

// weigh checks the parsed document: first the number of definitions, then the size of their selections.
func (a documentLimits) weigh(d *ast.QueryDocument) error {
	if n := max(len(d.Operations), len(d.Fragments)); n > maxDefinitions {
		return fault.New(fault.Invalid, "the document has %d operations or fragments, expected at most %d of each", n,
			maxDefinitions)
	}
	variables, unknown := 0, 0
	for _, o := range d.Operations {
		variables += len(o.VariableDefinitions)
		for _, v := range o.VariableDefinitions {
			if !a.names[v.Type.Name()] {
				unknown++
			}
		}
	}
	for _, f := range d.Fragments {
		if !a.names[f.TypeCondition] {
			unknown++
		}
	}
	if variables > maxVariables {
		return fault.New(fault.Invalid, "the document has %d variables, expected at most %d", variables, maxVariables)
	}
	w := newScale(a, d)
	w.unknown = unknown
	if err := w.sizes(d); err != nil {
		return err
	}
	return w.overlaps(d)
}
