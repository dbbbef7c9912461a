package graph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/fault"
)

// presenter converts an error for the response. A fault gets its code, message and field. An error about the
// request itself, which has a position in the document or a code, is unchanged. Any other error is logged and
// becomes INTERNAL.
func presenter(log *slog.Logger, schema *ast.Schema) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		if stopped(ctx) {
			return nil // the response already explains this once
		}
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			return gqlerror.Errorf("The client closed the request") // nobody reads the response
		}
		shown := &gqlerror.Error{Path: graphql.GetPath(ctx)}
		var ours *fault.Error
		var theirs *gqlerror.Error
		switch {
		case errors.As(err, &ours):
		case errors.As(err, &theirs) && theirs.Unwrap() == nil:
			if theirs.Path == nil {
				theirs.Path = shown.Path
			}
			extend(ctx, theirs, "GRAPHQL_VALIDATION_FAILED", nameVariable(ctx, schema, theirs))
			return theirs
		case errors.As(err, &theirs) && len(theirs.Path) > len(shown.Path):
			// The path ends inside an argument that could not be decoded. The original message may quote the
			// input.
			at := theirs.Path[len(shown.Path):]
			ours = fault.OnField(
				fault.Invalid, at.String(), "argument %s has the wrong type or is out of range%s", at,
				expected(schema, argumentType(ctx, at), at[1:]),
			)
		default:
			ours = faultOf(err)
		}
		if ours.Code == fault.Internal {
			log.ErrorContext(
				ctx, "graphql", "requestId", fault.RequestID(ctx), "path", shown.Path.String(), "error", err,
			)
			ours = fault.New(fault.Internal, "Internal error")
		}
		shown.Message = ours.Message
		extend(ctx, shown, string(ours.Code), argumentPath(ctx, schema, ours.Field))
		if seconds := ours.RetrySeconds(); seconds > 0 {
			shown.Extensions[fault.RetryExtension] = seconds
		}
		return shown
	}
}

// faultOf is fault.Of, except that the end of the request's time is a fault.Timeout even if no layer below has said so.
func faultOf(err error) *fault.Error {
	var known *fault.Error
	if !errors.As(err, &known) && errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Timeout, "the request took too long")
	}
	return fault.Of(err)
}

// nameVariable adds the name of the variable and the expected type to an error about a variable, and returns
// the name. It returns an empty text if the error is about something else.
func nameVariable(ctx context.Context, schema *ast.Schema, e *gqlerror.Error) string {
	if len(e.Path) < 2 || e.Path[0] != ast.PathName("variable") || !graphql.HasOperationContext(ctx) {
		return ""
	}
	at := e.Path[1:]
	var t *ast.Type
	if o := graphql.GetOperationContext(ctx).Operation; o != nil {
		if v := o.VariableDefinitions.ForName(fmt.Sprint(at[0])); v != nil {
			t = v.Type
		}
	}
	if !strings.HasPrefix(e.Message, "variable ") { // the presenter may process an error twice
		e.Message = fmt.Sprintf("variable %s: %s%s", at, e.Message, expected(schema, t, at[1:]))
	}
	return at.String()
}

// argumentPath returns the path of a field within an argument: `filter.formats` for formats. For fields of an
// argument called input, it returns just the field.
func argumentPath(ctx context.Context, schema *ast.Schema, field string) string {
	arguments := argumentsOf(ctx)
	first := field
	if i := strings.IndexAny(field, ".["); i >= 0 {
		first = field[:i]
	}
	if arguments.ForName(first) != nil {
		return field
	}
	for _, a := range arguments {
		if t := schema.Types[a.Type.Name()]; a.Name != "input" && t != nil && t.Kind == ast.InputObject &&
			t.Fields.ForName(first) != nil {
			return a.Name + "." + field
		}
	}
	return field
}

// argumentType returns the type of the argument at the start of a path, or nil if there is none.
func argumentType(ctx context.Context, at ast.Path) *ast.Type {
	if a := argumentsOf(ctx).ForName(fmt.Sprint(at[0])); a != nil {
		return a.Type
	}
	return nil
}

// argumentsOf returns the definitions of the arguments of the current field, or nil outside a field.
func argumentsOf(ctx context.Context) ast.ArgumentDefinitionList {
	f := graphql.GetFieldContext(ctx)
	if f == nil || f.Field.Field == nil || f.Field.Definition == nil {
		return nil
	}
	return f.Field.Definition.Arguments
}

// expected describes the expected type at a path in a value of type t. It is empty if there is no such path.
func expected(schema *ast.Schema, t *ast.Type, path ast.Path) string {
	for _, part := range path {
		if t == nil {
			return ""
		}
		if _, ok := part.(ast.PathIndex); ok {
			t = t.Elem
			continue
		}
		var field *ast.FieldDefinition
		if d := schema.Types[t.Name()]; d != nil {
			field = d.Fields.ForName(fmt.Sprint(part))
		}
		if field == nil {
			return ""
		}
		t = field.Type
	}
	if t == nil {
		return ""
	}
	return ", expected " + t.String()
}

// extend adds the extensions for clients. It keeps an existing code.
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

// recovered converts a panic of a resolver to an error, and logs the stack.
func recovered(log *slog.Logger) graphql.RecoverFunc {
	return func(ctx context.Context, p any) error {
		log.ErrorContext(
			ctx, "graphql panic", "requestId", fault.RequestID(ctx), "panic", p,
			"stack", string(debug.Stack()),
		)
		return fault.New(fault.Internal, "Internal error")
	}
}
