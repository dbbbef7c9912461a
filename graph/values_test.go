package graph

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/schema"
)

func loadSchema(t *testing.T) *ast.Schema {
	t.Helper()
	s, err := gqlparser.LoadSchema(&ast.Source{Input: schema.SDL()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sizesPage reports whether the arguments of a field set the size of a page.
func sizesPage(s *ast.Schema, f *ast.FieldDefinition) bool {
	if f.Arguments.ForName("first") != nil || f.Arguments.ForName("limit") != nil {
		return true
	}
	input := f.Arguments.ForName("input")
	if input == nil {
		return false
	}
	fields := s.Types[input.Type.Name()].Fields
	return fields.ForName("paths") != nil || fields.ForName("ids") != nil
}

// TestEveryListHasASize checks that the size of each list of objects in the schema is set by arguments or in
// listSizes.
func TestEveryListHasASize(t *testing.T) {
	s := loadSchema(t)
	above := map[string][]*ast.FieldDefinition{} // parent fields by the type that they return
	for _, d := range s.Types {
		for _, f := range d.Fields {
			above[f.Type.Name()] = append(above[f.Type.Name()], f)
		}
	}
	known := map[string]bool{}
	for _, d := range s.Types {
		if d.BuiltIn || d.Kind != ast.Object || strings.HasPrefix(d.Name, "__") {
			continue
		}
		for _, f := range d.Fields {
			name := d.Name + "." + f.Name
			known[name] = true
			isList := f.Type.Elem != nil && s.Types[f.Type.Name()].Kind == ast.Object
			switch {
			case !isList && listSizes[name] != 0:
				t.Errorf("%s is in listSizes, and no list of objects", name)
			case !isList || f.Name == "userErrors" || listSizes[name] > 0 || f.Arguments.ForName("first") != nil:
			case !pageFields[f.Name]:
				t.Errorf("%s is a list without a size: add it to listSizes", name)
			default:
				for _, a := range above[d.Name] {
					if !sizesPage(s, a) {
						t.Errorf(
							"%s returns %s, whose list %s has no size: it has neither first, limit, nor an input "+
								"with paths or ids",
							a.Name, d.Name, f.Name,
						)
					}
				}
			}
		}
	}
	for _, table := range []map[string]bool{asking, keys(listSizes)} {
		for name := range table {
			if !known[name] {
				t.Errorf("%s is not in the SDL", name)
			}
		}
	}
}

func keys(m map[string]int) map[string]bool {
	all := map[string]bool{}
	for k := range m {
		all[k] = true
	}
	return all
}

// valuesOf counts the values of one operation of a document.
func valuesOf(t *testing.T, s *ast.Schema, document, operation string, variables map[string]any) int {
	t.Helper()
	d, errs := gqlparser.LoadQueryWithRules(s, document, nil)
	if errs != nil {
		t.Fatalf("%v in %s", errs, document)
	}
	return countValues(
		s,
		&graphql.OperationContext{Doc: d, Operation: d.Operations.ForName(operation), Variables: variables},
	)
}

func TestCountValues(t *testing.T) {
	s := loadSchema(t)
	nested := "id path"
	for range 3 {
		nested = "folder { files(first: 100) { nodes { " + nested + " } } }"
	}
	cases := []struct {
		query     string
		variables map[string]any
		values    int
	}{
		{"{ me { id role } }", nil, 3},
		{"{ __typename __schema { types { name } } }", nil, 2},
		{"{ files { nodes { id } } }", nil, 10 + 1 + 50},
		{
			`mutation { createArchive(input: {paths: ["a", "b"]}) { archive { url } } }`, nil,
			1 + 20_000 + 2 + 1 + 1,
		},
		{
			"{ files(first: 7) { totalCount nodes { id } edges { cursor node { id } } pageInfo { hasNextPage } } }",
			nil,
			10 + 10 + 8 + 1 + 7*3 + 2,
		},
		{"{ files(first: null) { nodes { id } } }", nil, 10 + 1 + 100},
		{"{ files(first: 1000000000) { nodes { id } } }", nil, 10 + 1 + 100},
		{"{ files(first: -3) { nodes { id } } }", nil, 10 + 1 + 1},
		{"query ($n: Int = 3) { files(first: $n) { nodes { id } } }", map[string]any{"n": int64(4)}, 10 + 1 + 4},
		{"{ a: files(first: 5) { nodes { id } } b: files(first: 5) { nodes { id } } }", nil, 2 * 16},
		{"{ files(first: 5) { nodes { id } } files(first: 5) { nodes { id } } }", nil, 16},
		{
			"{ ...F ...F } fragment F on Query { files(first: 5) { nodes { ...G a: name } } } fragment G on File { id }",
			nil,
			10 + 1 + 10,
		},
		{
			"query ($no: Boolean!) { files(first: 5) @include(if: $no) { nodes { id } } me { id @skip(if: true) } }",
			map[string]any{"no": false},
			1,
		},
		{
			"{ node(id: 1) { id ... on File { name tags } ... on Folder { folders(first: 9) { nodes { id } } } } }",
			nil,
			1 + 1 + 10 + 1 + 9,
		},
		{"{ users { items { id } } }", nil, 1 + 1 + 1000},
		{"{ users(limit: 20) { items { id } } }", nil, 1 + 1 + 20},
		{"{ similarFiles(path: \"a\", first: 30) { nodes { distance file { id } } } }", nil, 10 + 1 + 30*3},
		{"{ duplicates(first: 10) { nodes { count files { id } } } }", nil, 10 + 1 + 10*(1+10+100)},
		{"{ timeline { count } }", nil, 1 + 20_000},
		{"{ files(first: 10) { nodes { srcset(widths: [1, 2, 3]) exif { name } } } }", nil, 10 + 1 + 10*(4+1+100)},
		{
			"mutation ($p: [String!]!) { tagFiles(input: {paths: $p}) { results { ok file { id } } userErrors { " +
				"code } } }",
			map[string]any{"p": []any{"a", "b"}},
			1 + 2 + 1 + 2*12 + 2,
		},
		{
			"mutation ($in: TrashFilesInput!) { trashFiles(input: $in) { results { ok } } }",
			map[string]any{"in": map[string]any{"paths": []any{"a", "b", "c"}}},
			1 + 3 + 1 + 3,
		},
		{
			"query ($f: FileFilter) { files(filter: $f, first: 1) { totalCount } }",
			map[string]any{"f": map[string]any{"tags": []any{"a", "b", "c"}, "formats": "JPEG"}},
			10 + 10*3 + 10,
		},
		{
			"query ($f: FileFilter!) { fileCounts(filter: $f, each: [$f, {tags: [\"a\"]}, {}]) }",
			map[string]any{"f": map[string]any{"tags": []any{"a", "b", "c"}}},
			10 + 10*(3+3+3+1),
		},
		{
			"subscription { folderChanges { file { folder { files(first: 50) { nodes { id } } } } } }",
			nil,
			1 + 1 + 10 + 10 + 1 + 50,
		},
		{"{ files(first: 100) { nodes { " + nested + " } } }", nil, 221_212_111},
	}
	for _, c := range cases {
		if n := valuesOf(t, s, c.query, "", c.variables); n != c.values {
			t.Errorf("%s: %d values, expected %d", c.query, n, c.values)
		}
	}
	deep := "id"
	for range 40 {
		deep = "folder { files { nodes { " + deep + " } } }"
	}
	if n := valuesOf(t, s, "{ file(path: \"a\") { "+deep+" } }", "", nil); n != maxValues {
		t.Errorf("40 nested lists: %d values, expected %d", n, maxValues)
	}
}

// documents returns the operations in the repository by file and name, each with all fragments of its folder.
func documents(t *testing.T) map[string]string {
	t.Helper()
	quoted := regexp.MustCompile("graphql\\(\\s*(?:/\\*.*?\\*/)?\\s*`([^`]*)`")
	fenced := regexp.MustCompile("(?s)```graphql\n(.*?)```")
	found := map[string]string{}
	add := func(file, text string) { found[file] += text + "\n" }
	for _, root := range []string{"../web/src", "../examples", "../docs", "../clients"} {
		err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				if err == nil && slices.Contains([]string{"node_modules", "gen", "gql", "dist"}, e.Name()) {
					return filepath.SkipDir
				}
				return err
			}
			pattern := map[string]*regexp.Regexp{".ts": quoted, ".svelte": quoted, ".md": fenced,
				".graphql": regexp.MustCompile("(?s)(.*)")}[filepath.Ext(file)]
			if pattern == nil {
				return nil
			}
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for i, m := range pattern.FindAllStringSubmatch(string(b), -1) {
				if pattern != fenced {
					add(file, m[1])
					continue
				}
				for n, recipe := range recipes(m[1]) {
					add(fmt.Sprintf("%s %d.%d", file, i+1, n+1), recipe)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// largest returns the largest value that variables of a type have in the application, with 1000 items per list,
// except for the filters of thumbnails.
func largest(s *ast.Schema, typ *ast.Type) any {
	d := s.Types[typ.Name()]
	switch {
	case typ.Elem != nil:
		n := 1000
		if d.Name == "ProcessorFilterInput" { // thumbFilters of the application
			n = 2
		}
		list := make([]any, n)
		for i := range list {
			list[i] = largest(s, typ.Elem)
		}
		return list
	case d.Kind == ast.InputObject:
		m := map[string]any{}
		for _, f := range d.Fields {
			if f.Name == "paths" || f.Name == "ids" {
				m[f.Name] = largest(s, f.Type)
			}
		}
		return m
	case typ.Name() == "Boolean":
		return true
	}
	return nil // a missing number means the largest page
}

// TestOperationsOfClientsAreWithinTheLimit counts the values of every operation of the application, the examples and
// the documentation, with the largest pages and inputs.
func TestOperationsOfClientsAreWithinTheLimit(t *testing.T) {
	s := loadSchema(t)
	found := documents(t)
	fragments := map[string]string{} // of the application, where files use fragments of other files
	one := regexp.MustCompile(`(?m)^ *fragment (\w+) on`)
	for file, text := range found {
		if strings.HasPrefix(file, "../web/") {
			for _, at := range one.FindAllStringSubmatchIndex(text, -1) {
				fragments[text[at[2]:at[3]]] = balanced(text[at[0]:])
			}
		}
	}
	counted := 0
	operation := regexp.MustCompile(`(?m)^ *(query|mutation|subscription|\{)`)
	for file, text := range found {
		if !operation.MatchString(text) {
			continue // fragments are read with the operations that spread them
		}
		if strings.HasPrefix(file, "../web/") {
			text = withFragments(text, fragments)
		}
		d, errs := gqlparser.LoadQueryWithRules(s, text, nil)
		if errs != nil {
			t.Errorf("%s: %v in %s", file, errs, text)
			continue
		}
		for _, o := range d.Operations {
			variables := map[string]any{}
			for _, v := range o.VariableDefinitions {
				variables[v.Variable] = largest(s, v.Type)
			}
			counted++
			n := countValues(s, &graphql.OperationContext{Doc: d, Operation: o, Variables: variables})
			const most = 100_000 // the default of graphql-max-values
			if n > most {
				t.Errorf("%s: %s can return %d values, the limit is %d", file, o.Name, n, most)
			}
			if n > 10_000 {
				t.Logf("%s: %s can return %d values", file, o.Name, n)
			}
		}
	}
	if counted < 100 {
		t.Errorf("%d operations, expected over 100", counted)
	}
}

// balanced returns a text up to the end of its first pair of braces.
func balanced(text string) string {
	open := 0
	for i, c := range text {
		if c == '{' {
			open++
		} else if c == '}' {
			if open--; open == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// recipes returns the operations in a block of the documentation, each as a separate document.
func recipes(block string) (all []string) {
	if strings.Contains(block, "fragment ") {
		return []string{block}
	}
	for block = strings.TrimSpace(block); block != ""; {
		one := balanced(block)
		all, block = append(all, one), strings.TrimSpace(block[len(one):])
		for strings.HasPrefix(block, "#") {
			_, block, _ = strings.Cut(block, "\n")
			block = strings.TrimSpace(block)
		}
	}
	return all
}

// withFragments adds the fragments that a document uses but does not contain.
func withFragments(text string, fragments map[string]string) string {
	spread := regexp.MustCompile(`\.\.\.(\w+)`)
	for i := 0; i < 10; i++ {
		for _, m := range spread.FindAllStringSubmatch(text, -1) {
			if f := fragments[m[1]]; f != "" && m[1] != "on" && !strings.Contains(text, "fragment "+m[1]+" on") {
				text += "\n" + f
			}
		}
	}
	return text
}
