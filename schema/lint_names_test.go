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
			if d.Name != "Query" && d.Name != "Mutation" &&
				strings.HasPrefix(strings.ToLower(f.Name), strings.ToLower(d.Name)) {
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
	for field, form := range map[string]string{"hasNextPage": "Boolean!", "hasPreviousPage": "Boolean!",
		"startCursor": "String", "endCursor": "String"} {
		has(info, field, form)
	}
}

// given are the results of operations that clients rely on, which keep their names.
var given = []string{"Boolean", "String", "User", "ProcessorConfigResult", "TemplateResult"}

// TestPayloads checks that a mutation of our own returns a payload. Mutations that return the same share it.
func TestPayloads(t *testing.T) {
	for _, f := range load(t).Mutation.Fields {
		if !strings.HasSuffix(f.Type.Name(), "Payload") && !slices.Contains(given, f.Type.Name()) {
			t.Errorf("%s returns %s, expected a payload", f.Name, f.Type.Name())
		}
	}
}

// TestIDs checks that what has an id is a Node, and the other way round.
func TestIDs(t *testing.T) {
	for _, d := range own(load(t)) {
		if d.Kind != ast.Object {
			continue
		}
		f := d.Fields.ForName("id")
		if has := f != nil && f.Type.String() == "ID!"; has != slices.Contains(d.Interfaces, "Node") {
			t.Errorf("%s: id and the interface Node belong together", d.Name)
		}
	}
}

// bounded are the lists of objects without pages, and what bounds them.
var bounded = map[string]string{
	"DuplicateGroup.files":     "the first 100",
	"File.exif":                "the tags of one image",
	"ServerMetrics.samples":    "an hour of samples",
	"MetricsSample.stages":     "the stages of a request",
	"PendingUpload.headers":    "the headers of one request",
	"Preset.parameters":        "8",
	"Preset.versions":          "200",
	"PresetVersion.parameters": "8",
	"ProcessorUrl.filters":     "the filters of one URL",
	"Query.diagnosis":          "the checks of the program",
	"Query.filesByPath":        "1000",
	"Query.foldersById":        "100",
	"Query.grantees":           "limit",
	"Query.grants":             "200 on each folder",
	"Query.pinnedFolders":      "50",
	"Query.settings":           "the settings of the program",
	"Query.mapClusters":        "500",
	"Query.suggestions":        "50",
	"Query.timeline":           "20,000, an error beyond",
	"SecondFactor.passkeys":    "20",
	"Share.reviewers":          "100",
	"Share.visitsByDay":        "30",
	"ShareFeedback.picks":      "one of each visitor",
	"SimilarGroup.files":       "the first 100",
	"Template.variables":       "50",
	"Template.versions":        "21",
	"UserList.items":           "limit",
}

// TestGrowingListsHavePages checks that a list of objects without a bound is a connection.
func TestGrowingListsHavePages(t *testing.T) {
	s := load(t)
	for _, d := range own(s) {
		if d.Kind != ast.Object || strings.HasSuffix(d.Name, "Connection") || strings.HasSuffix(d.Name, "Payload") {
			continue
		}
		for _, f := range d.Fields {
			if of := s.Types[f.Type.Name()]; f.Type.Elem != nil && of.Kind == ast.Object &&
				bounded[d.Name+"."+f.Name] == "" {
				t.Errorf("%s.%s is a list without a bound, expected a connection", d.Name, f.Name)
			}
		}
	}
}
