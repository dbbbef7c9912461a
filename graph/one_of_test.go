package graph

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestOneOf(t *testing.T) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: `
		input Choice @oneOf { a: String, b: Int, again: Choice }
		input Around { choice: Choice, choices: [Choice!] }
		type Query { x(choice: Choice, around: Around): Int }`})
	if err != nil {
		t.Fatal(err)
	}
	choice := func(fields ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(fields); i += 2 {
			m[fields[i].(string)] = fields[i+1]
		}
		return m
	}
	for _, c := range []struct {
		query     string
		variables map[string]any
		fault     string // start of the error message; empty if the input is valid
	}{
		{`{ x }`, nil, ""},
		{`query ($c: Choice) { x(choice: $c) }`, nil, ""},
		{`query ($c: Choice) { x(choice: $c) }`, map[string]any{"c": choice("b", 2)}, ""},
		{`query ($c: Choice) { x(choice: $c) }`, map[string]any{"c": choice("a", "1", "b", 2)},
			"c has 2 fields, expected exactly one of a, b, again"},
		{`query ($c: Choice) { x(choice: $c) }`, map[string]any{"c": choice()}, "c has 0 fields"},
		{`query ($c: Choice) { x(choice: $c) }`, map[string]any{"c": choice("a", nil)}, "c has 1 fields"},
		{`query ($c: Choice) { x(choice: $c) }`, map[string]any{"c": choice("again", choice("a", "1", "b", nil))},
			"c.again has 2 fields"},
		{`query ($c: [Choice!]) { x(around: {choices: $c}) }`, map[string]any{"c": []any{choice("a", "1"), choice()}},
			"c[1] has 0 fields"},
		{`query ($a: Around) { x(around: $a) }`, map[string]any{"a": choice("choice", choice())},
			"a.choice has 0 fields"},
		{`query ($a: Around) { x(around: $a) }`, map[string]any{"a": choice()}, ""},
	} {
		d, errs := gqlparser.LoadQueryWithRules(schema, c.query, nil)
		if errs != nil {
			t.Fatalf("%s: %v", c.query, errs)
		}
		err := checkOneOf(schema, &graphql.OperationContext{Doc: d, Operation: d.Operations[0], Variables: c.variables})
		switch {
		case c.fault == "" && err != nil:
			t.Errorf("%s with %v: %v", c.query, c.variables, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s with %v: %v, expected %q", c.query, c.variables, err, c.fault)
		}
	}
}
