package schema_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

var (
	pascalCase = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	camelCase  = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
	upperCase  = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
)

// own returns the types of the SDL.
func own(s *ast.Schema) (all []*ast.Definition) {
	for name, d := range s.Types {
		if !d.BuiltIn && !strings.HasPrefix(name, "__") {
			all = append(all, d)
		}
	}
	return all
}

// TestNames holds graphql-eslint's naming-convention, no-typename-prefix and
// unique-enum-value-names.
func TestNames(t *testing.T) {
	for _, d := range own(load(t)) {
		if !pascalCase.MatchString(d.Name) {
			t.Errorf("%s is not in PascalCase", d.Name)
		}
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			if !camelCase.MatchString(f.Name) {
				t.Errorf("%s.%s is not in camelCase", d.Name, f.Name)
			}
			if n := d.Name + "." + f.Name; n == "User.username" || n == "Folder.folders" { // given names
				continue
			}
			if d.Name != "Query" && d.Name != "Mutation" && strings.HasPrefix(strings.ToLower(f.Name), strings.ToLower(d.Name)) {
				t.Errorf("%s.%s repeats its type", d.Name, f.Name)
			}
			for _, a := range f.Arguments {
				if !camelCase.MatchString(a.Name) {
					t.Errorf("%s.%s(%s) is not in camelCase", d.Name, f.Name, a.Name)
				}
			}
		}
		seen := map[string]bool{}
		for _, v := range d.EnumValues {
			if !upperCase.MatchString(v.Name) || seen[strings.ToUpper(v.Name)] {
				t.Errorf("%s.%s is not in UPPER_CASE, or there twice", d.Name, v.Name)
			}
			seen[strings.ToUpper(v.Name)] = true
		}
		if d.Kind == ast.InputObject && !strings.HasSuffix(d.Name, "Input") && !strings.HasSuffix(d.Name, "Filter") {
			t.Errorf("input %s ends neither in Input nor in Filter", d.Name)
		}
	}
}

// TestEverythingIsReachable holds no-unreachable-types.
func TestEverythingIsReachable(t *testing.T) {
	s := load(t)
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		d := s.Types[name]
		if seen[name] || d == nil {
			return
		}
		seen[name] = true
		for _, f := range d.Fields {
			visit(f.Type.Name())
			for _, a := range f.Arguments {
				visit(a.Type.Name())
			}
		}
		for _, possible := range s.GetPossibleTypes(d) {
			visit(possible.Name)
		}
	}
	visit("Query")
	visit("Mutation")
	visit("Subscription")
	for _, d := range own(s) {
		if !seen[d.Name] {
			t.Errorf("nothing leads to %s", d.Name)
		}
	}
}

// TestConnections holds relay-connection-types, relay-edge-types, relay-page-info and relay-arguments.
func TestConnections(t *testing.T) {
	s := load(t)
	has := func(d *ast.Definition, field, form string) {
		t.Helper()
		if f := d.Fields.ForName(field); f == nil || f.Type.String() != form {
			t.Errorf("%s needs %s: %s", d.Name, field, form)
		}
	}
	for _, d := range own(s) {
		if thing, is := strings.CutSuffix(d.Name, "Connection"); is {
			has(d, "edges", "["+thing+"Edge!]!")
			has(d, "pageInfo", "PageInfo!")
			if edge := s.Types[thing+"Edge"]; edge == nil {
				t.Errorf("%s has no edge type", d.Name)
			} else {
				has(edge, "cursor", "String!")
				has(edge, "node", thing+"!")
			}
		}
		for _, f := range d.Fields {
			if !strings.HasSuffix(f.Type.Name(), "Connection") {
				continue
			}
			for name, form := range map[string]string{"first": "Int", "after": "String"} {
				if a := f.Arguments.ForName(name); a == nil || a.Type.String() != form {
					t.Errorf("%s.%s needs %s: %s", d.Name, f.Name, name, form)
				}
			}
		}
	}
	info := s.Types["PageInfo"]
	for field, form := range map[string]string{"hasNextPage": "Boolean!", "hasPreviousPage": "Boolean!", "startCursor": "String", "endCursor": "String"} {
		has(info, field, form)
	}
}

// given are payloads of the contract (spec/api.md), which keep their names.
var given = []string{"Boolean", "String", "User", "ProcessorConfigResult", "TemplateResult"}

// TestPayloads holds that a mutation of our own answers with a payload named after it.
func TestPayloads(t *testing.T) {
	for _, f := range load(t).Mutation.Fields {
		if want := strings.ToUpper(f.Name[:1]) + f.Name[1:] + "Payload"; f.Type.Name() != want && !slices.Contains(given, f.Type.Name()) {
			t.Errorf("%s answers with %s, want %s", f.Name, f.Type.Name(), want)
		}
	}
}
