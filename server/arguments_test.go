package server_test

import (
	"strings"
	"testing"
)

// TestArgumentsAtFault: an invalid argument is reported under its own name, in errors or in userErrors, and never
// ignored.
func TestArgumentsAtFault(t *testing.T) {
	s := newStage(t, nil)
	const moved = `{ results { error { code message field } } userErrors { code message field } }`
	for query, want := range map[string][2]string{
		`{ files(first: 99999999999) { totalCount } }`:                                                                 {"first", "expected Int"},
		`{ files(first: 0) { nodes { id } } }`:                                                                         {"first", "expected 1 to 100"},
		`{ files(skip: -1) { nodes { id } } }`:                                                                         {"skip", "skip is -1"},
		`{ users(limit: -1) { totalCount } }`:                                                                          {"limit", "limit is -1, expected 0 or more"},
		`{ users(search: "\u0000") { totalCount } }`:                                                                   {"search", "U+0000"},
		`{ auditEvents(filter: {target: "\u0000"}) { totalCount } }`:                                                   {"filter.target", "U+0000"},
		`{ files(folder: "none") { totalCount } }`:                                                                     {"folder", "none does not exist"},
		`{ files(folder: "..") { totalCount } }`:                                                                       {"folder", "expected names only"},
		`{ folders(folder: "a/b.png") { totalCount } }`:                                                                {"folder", "a/b.png is a file, expected a folder"},
		`{ templates(folder: "none") { totalCount } }`:                                                                 {"folder", "none does not exist"},
		`{ files(filter: {modifiedAfter: "yesterday"}) { totalCount } }`:                                               {"filter.modifiedAfter", "expected Time"},
		`{ file(path: "a/b.png") { srcset(widths: [10, 0]) } }`:                                                        {"widths", "a width is 0, expected 1 pixel or more"},
		`{ file(path: "a/b.png") { srcset(widths: []) } }`:                                                             {"widths", "0 widths, expected 1 to 20"},
		`{ file(path: "a/b.png") { srcset(widths: [99999999999]) } }`:                                                  {"widths[0]", "expected Int"},
		`{ file(path: "a/b.png") { url(operations: {filters: [{name: "blur", args: "1):grayscale("}]}) } }`:            {"operations.filters", "is not well-formed"},
		`mutation { regenerateTemplatePreview(input: {path: "none.template.json"}) { userErrors { message field } } }`: {"path", "does not exist"},
		`mutation { createUpload(input: {path: "c/", sizeBytes: 5}) { userErrors { message field } } }`:                {"path", "ends with a slash"},
		`mutation { moveFiles(input: {paths: ["none"], folder: "", name: "x"}) ` + moved +
			` }`: {"path", "none does not exist"},
		`mutation { moveFiles(input: {paths: ["a/b.png"], folder: "", name: "a"}) ` + moved +
			` }`: {"path", "a exists already"},
		`mutation { moveFiles(input: {paths: ["a/b.png"], folder: "a", onConflict: REPLACE}) ` + moved +
			` }`: {"path", "a/b.png cannot replace itself"},
		`mutation { moveFiles(input: {paths: ["a"], folder: "a", name: "c"}) ` + moved +
			` }`: {"path", "a cannot be moved or copied into itself"},
		`mutation { copyFiles(input: {paths: ["a/b.png"], folder: "a/b.png", name: "c.png"}) ` + moved +
			` }`: {"path", "a/b.png cannot be moved or copied into itself"},
		`mutation { moveFiles(input: {paths: ["a/b.png", "a"], folder: "x", name: "c"}) ` + moved +
			` }`: {"name", "name is set for 2 paths"},
		`mutation { moveFiles(input: {paths: ["a/b.png"], folder: "x", name: "c/d.png"}) ` + moved +
			` }`: {"name", "contains a slash"},
		`mutation { copyFiles(input: {paths: ["a/b.png"], folder: "x", name: ".c.png"}) ` + moved +
			` }`: {"name", "starts with a dot"},
		`mutation { copyFiles(input: {paths: ["a/b.png"], folder: "x", name: ".."}) ` + moved +
			` }`: {"name", "expected names only"},
		`mutation { copyFiles(input: {paths: ["a/b.png"], folder: "x", name: ""}) ` + moved +
			` }`: {"name", "the path is empty"},
		`mutation { createFolder(input: {path: "a"}) { folder { path } userErrors { code message field } } }`: {
			"path", "a exists already"},
		`mutation { moveFiles(input: {paths: ["none"], folder: "x"}) ` + moved +
			` }`: {"path", "none does not exist"},
		`mutation { copyFiles(input: {paths: ["a/b.png"], folder: "a/b.png"}) ` + moved +
			` }`: {"path", "a/b.png cannot be moved or copied into itself"},
		`mutation { createUser(input: {displayName: "x", username: "admin", password: "three blind mice 42"}) { id } }`: {"username", "the username admin is taken"},
	} {
		a := s.graphQL("admin", query, nil)
		if !strings.Contains(a.body, `"field":"`+want[0]+`"`) || !strings.Contains(a.body, want[1]) {
			t.Errorf("%s: %s, expected %q on field %s", query, a.body, want[1], want[0])
		}
	}
}

// TestNullTags: a client that sends null for unchanged fields removes no tags.
func TestNullTags(t *testing.T) {
	s := newStage(t, nil)
	const query = `mutation ($tags: [String!]) { updateFile(input: {path: "a/b.png", tags: $tags, description: null}) { file { tags } userErrors { message } } }`
	for _, c := range []struct {
		tags any
		want string
	}{{[]string{"red"}, `"tags":["red"]`}, {nil, `"tags":["red"]`}, {[]string{}, `"tags":[]`}} {
		if a := s.graphQL("user", query, map[string]any{"tags": c.tags}); !strings.Contains(a.body, c.want) {
			t.Errorf("tags %v: %s, expected %s", c.tags, a.body, c.want)
		}
	}
}

// TestVariablesAtFault: an error about a variable names it and what was expected, and shows only the type of its value.
func TestVariablesAtFault(t *testing.T) {
	s := newStage(t, nil)
	for _, c := range []struct {
		query     string
		variables map[string]any
		field     string
		message   string
	}{
		{`query ($p: String!) { file(path: $p) { name } }`, nil, "p", "variable p: must be defined, expected String!"},
		{`query ($p: String!) { file(path: $p) { name } }`, map[string]any{"p": nil}, "p",
			"variable p: cannot be null, expected String!"},
		{`query ($n: Int) { files(first: $n) { totalCount } }`, map[string]any{"n": "hunter2"}, "n",
			"variable n: cannot use string as Int, expected Int"},
		{`mutation ($i: PurgeCacheInput!) { purgeCache(input: $i) { userErrors { code } } }`,
			map[string]any{"i": map[string]any{"all": true, "tag": "x"}},
			"i", "variable i has 2 fields, expected exactly one of path, folder, tag, preset, template, all, not null"},
		{`query ($f: FileFilter) { files(filter: $f) { totalCount } }`, map[string]any{"f": map[string]any{"nope": 1}},
			"f.nope", "variable f.nope: unknown field"},
		{`query ($f: FileFilter) { files(filter: $f) { totalCount } }`,
			map[string]any{"f": map[string]any{"minWidth": "hunter2"}}, "f.minWidth",
			"variable f.minWidth: cannot use string as Int, expected Int"},
		{`query ($f: FileFilter) { files(filter: $f) { totalCount } }`,
			map[string]any{"f": map[string]any{"minSize": "hunter2"}}, "filter.minSize", "expected Int64"},
	} {
		a := s.graphQL("user", c.query, c.variables)
		if !strings.Contains(a.body, `"field":"`+c.field+`"`) ||
			!strings.Contains(a.body, `"message":"`+c.message) && !strings.Contains(a.body, c.message+`"`) ||
			strings.Contains(a.body, "hunter2") {
			t.Errorf("%s with %v: %s, expected %q on field %s", c.query, c.variables, a.body, c.message, c.field)
		}
	}
}

// TestTemplateNameTaken: the error names the argument to change.
func TestTemplateNameTaken(t *testing.T) {
	s := newStage(t, nil)
	const query = `mutation ($t: String!) { saveTemplate(input: {name: "n", templateJson: $t}) { success } }`
	envelope := map[string]any{
		"t": `{"version":"1.0","dimensionMode":"adaptive","transformations":{"imagePath":"a/b.png","originalDimensions":{"width":1,"height":1}}}`,
	}
	s.graphQL("user", query, envelope)
	if a := s.graphQL("user", query, envelope); a.code() != "CONFLICT" || !strings.Contains(a.body, `"field":"name"`) {
		t.Errorf("saving it again: %s", a.body)
	}
}
