package graph

import (
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/fault"
)

// checkOneOf returns fault.Invalid for a variable that contains an input with @oneOf and does not set exactly
// one of its fields. The validation of documents only checks literals, and the generated code does not check
// this at all.
func checkOneOf(schema *ast.Schema, o *graphql.OperationContext) error {
	for _, v := range o.Operation.VariableDefinitions {
		if err := checkOneOfValue(schema, v.Type.Name(), o.Variables[v.Variable], v.Variable); err != nil {
			return err
		}
	}
	return nil
}

// checkOneOfValue checks a value of an input type, or a list of such values. path is its path for the error.
func checkOneOfValue(schema *ast.Schema, typeName string, value any, path string) error {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if err := checkOneOfValue(schema, typeName, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		d := schema.Types[typeName]
		if d.Directives.ForName("oneOf") != nil && !setsOne(value) {
			names := make([]string, len(d.Fields))
			for i, f := range d.Fields {
				names[i] = f.Name
			}
			return fault.OnField(
				fault.Invalid, path, "variable %s has %d fields, expected exactly one of %s, not null",
				path, len(value), strings.Join(names, ", "),
			)
		}
		for _, f := range d.Fields {
			if err := checkOneOfValue(schema, f.Type.Name(), value[f.Name], path+"."+f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// setsOne reports whether an object has exactly one field, and its value is not null.
func setsOne(object map[string]any) bool {
	if len(object) != 1 {
		return false
	}
	for _, v := range object {
		return v != nil
	}
	return false
}
