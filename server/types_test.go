package server_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// TestOneTypeOfFile: every field and payload with a file has the type File, with metadata and id.
func TestOneTypeOfFile(t *testing.T) {
	s := newStage(t, func(_ *server.Config, r *gallerytest.Config) { r.Gallery.Trash = true })
	s.store("t/x.png", png)
	s.store("d/e/x.png", png)
	for query, want := range map[string]string{
		`{ files(folder: "t") { nodes { id format tags } } }`: `"format":"PNG","tags":[]`,
		`{ file(path: "a/b.png") { path format } }`:           `"path":"a/b.png","format":"PNG"`,
		`mutation { tagFiles(input: {paths: ["a/b.png"], add: ["x"]}) { results { item ok file { path tags } folder { path } } } }`:        `{"item":"a/b.png","ok":true,"file":{"path":"a/b.png","tags":["x"]},"folder":null}`,
		`mutation { copyFiles(input: {paths: ["d/e"], folder: "", name: "renamed"}) { results { item folder { path } error { code } } } }`: `{"item":"d/e","folder":{"path":"renamed"},"error":null}`,
		`mutation { copyFiles(input: {paths: ["a/b.png", "t"], folder: "c"}) { results { file { id path } folder { path } } } }`:           `"path":"c/b.png"},"folder":null},{"file":null,"folder":{"path":"c/t"}}`,
		`{ folder(path: "a") { fileCount totalSize files { totalCount nodes { path } } folders { nodes { path } } } }`:                     fmt.Sprintf(`{"fileCount":1,"totalSize":%d,"files":{"totalCount":1,"nodes":[{"path":"a/b.png"}]},"folders":{"nodes":[]}}`, len(png)),
		`{ folders(folder: "d") { nodes { path hasFolders } } folder(path: "d") { hasFolders parent { hasFolders parent { path } } } }`:    `"nodes":[{"path":"d/e","hasFolders":false}]},"folder":{"hasFolders":true,"parent":{"hasFolders":true,"parent":null}`,
		`{ folder(path: "") { folders(first: 1) { nodes { files { nodes { path } } } } } }`:                                                `{"nodes":[{"path":"a/b.png"}]}`,
	} {
		if a := s.graphQL("user", query, nil); !strings.Contains(a.body, want) {
			t.Errorf("%s\n%s, expected %s", query, a.body, want)
		}
	}
}

// TestNodes: node finds everything that has an id if the caller may see it.
func TestNodes(t *testing.T) {
	s := newStage(t, func(_ *server.Config, r *gallerytest.Config) { r.Gallery.Trash = true })
	s.store(
		"n/x.template.json",
		`{"version":"1.0","dimensionMode":"adaptive","transformations":{"imagePath":"a/b.png"}}`,
	)
	s.store("n/gone.png", png)
	trashed := s.graphQL(
		"user", `mutation { trashFiles(input: {paths: ["n/gone.png"]}) { results { trashed { id } } } }`, nil,
	)
	id := between(trashed.body, `"id":"`, `"`)
	node := func(actor, id string) answer {
		return s.graphQL(
			actor,
			`query ($id: ID!) { node(id: $id) { __typename id ... on Template { path } ... on TrashedFile { path } } }`,
			map[string]any{"id": id},
		)
	}
	if a := node("user", id); !strings.Contains(a.body, `"__typename":"TrashedFile"`) ||
		!strings.Contains(a.body, `"path":"n/gone.png"`) {
		t.Errorf("%s: %s", trashed.body, a.body)
	}
	if a := node("guest", id); a.code() != "FORBIDDEN" {
		t.Errorf("a guest and the trash: %s", a.body)
	}
	if a := node("guest", "foo"); !strings.Contains(a.body, "this is not an id of this server") {
		t.Errorf("an id of nothing: %s", a.body)
	}
	own := s.graphQL(
		"user",
		`mutation { createSavedSearch(input: {name: "mine"}) { savedSearch { id } } createApiToken(input: {name: "mine"}) { apiToken { id } } }`,
		nil,
	)
	for payload, field := range map[string]string{"createSavedSearch": "savedSearch", "createApiToken": "apiToken"} {
		id, _ := own.json("data", payload, field, "id").(string)
		typename := strings.ToUpper(field[:1]) + field[1:]
		if a := node("user", id); a.json("data", "node", "__typename") != typename {
			t.Errorf("one's own %s: %s", field, a.body)
		}
		if a := node("guest", id); a.code() != "FORBIDDEN" {
			t.Errorf("a guest and a user's %s: %s", field, a.body)
		}
		if a := node("admin", id); (a.json("data", "node", "__typename") == typename) != (field == "apiToken") {
			t.Errorf("an admin and a user's %s: %s", field, a.body)
		}
	}
	upload,
		_ := s.graphQL("user", `mutation { createUpload(input: {path: "n/new.png", sizeBytes: 5}) { upload { id } } }`,
		nil).json("data", "createUpload", "upload", "id").(string)
	key, _ := s.graphQL("admin", `mutation { createFamilyKey(input: {name: "shop"}) { familyKey { id } } }`, nil).
		json("data", "createFamilyKey", "familyKey", "id").(string)
	event := between(s.graphQL("admin", `{ auditEvents(first: 1) { nodes { id } } }`, nil).body, `"id":"`, `"`)
	account, _ := s.graphQL("user", `{ me { id } }`, nil).json("data", "me", "id").(string)
	file := between(s.graphQL("user", `{ file(path: "a/b.png") { id } }`, nil).body, `"id":"`, `"`)
	folder := between(s.graphQL("user", `{ folder(path: "a") { id } }`, nil).body, `"id":"`, `"`)
	for _, c := range []struct{ typename, id, guest, user string }{
		{"File", file, "", ""},
		{"Folder", folder, "", ""},
		{"User", account, "FORBIDDEN", ""},
		{"PendingUpload", upload, "INVALID", ""},
		{"AuditEvent", event, "FORBIDDEN", "FORBIDDEN"},
		{"FamilyKey", key, "FORBIDDEN", "FORBIDDEN"},
	} {
		for actor, code := range map[string]string{"guest": c.guest, "user": c.user, "admin": ""} {
			a := node(actor, c.id)
			if a.code() != code ||
				code == "" &&
					(a.json("data", "node", "__typename") != c.typename || a.json("data", "node", "id") != c.id) {
				t.Errorf("%s and %s %s: %s", actor, c.typename, c.id, a.body)
			}
		}
	}
	for _, id := range []string{"0", "999999", "-1", base64.RawURLEncoding.EncodeToString([]byte("FamilyKey:none"))} {
		if a := node("admin", id); a.code() != "NOT_FOUND" {
			t.Errorf("node %s: %s", id, a.body)
		}
	}
	template := between(s.graphQL("user", `{ template(path: "n/x.template.json") { id } }`, nil).body, `"id":"`, `"`)
	if a := node("guest", template); !strings.Contains(a.body, `"__typename":"Template"`) ||
		!strings.Contains(a.body, `"path":"n/x.template.json"`) {
		t.Errorf("%s: %s", template, a.body)
	}
}

func between(s, before, after string) string {
	_, s, _ = strings.Cut(s, before)
	s, _, _ = strings.Cut(s, after)
	return s
}

// TestOneBadPath: an error of one field leaves the others.
func TestOneBadPath(t *testing.T) {
	s := newStage(t, nil)
	a := s.graphQL(
		"user",
		`{ me { username } templates(folder: "none") { totalCount } files(folder: "none") { totalCount } folder(path: "none") { id } }`,
		nil,
	)
	if a.json("data", "me", "username") != "user" || a.code() != "NOT_FOUND" {
		t.Errorf("%s", a.body)
	}
}

// TestErrorFields: the field of an error is a path from the arguments.
func TestErrorFields(t *testing.T) {
	s := newStage(t, nil)
	for query, field := range map[string]string{
		`{ files(filter: {color: {color: "nope"}}) { totalCount } }`:                                        "filter.color.color",
		`{ files(filter: {color: {color: "red", within: 3}}) { totalCount } }`:                              "filter.color.within",
		`{ files(folder: "none") { totalCount } }`:                                                          "folder",
		`{ folder(path: "") { files(filter: {color: {color: "nope"}}) { totalCount } } }`:                   "filter.color.color",
		`{ file(path: "a/b.png") { url(operations: {filters: [{name: "blur", args: "1):grayscale("}]}) } }`: "operations.filters",
	} {
		a := s.graphQL("user", query, nil)
		if got := between(a.body, `"field":"`, `"`); got != field {
			t.Errorf("%s: %q, expected %q: %s", query, got, field, a.body)
		}
	}
	a := s.graphQL("user", `mutation { revokeApiToken(input: {id: "x"}) { revokedId userErrors { code field } } }`, nil)
	if !strings.Contains(a.body, `{"revokedId":null,"userErrors":[{"code":"INVALID","field":"id"}]}`) {
		t.Errorf("%s", a.body)
	}
}

// TestFormatsFilter: formats select files, and a parsed URL has enums.
func TestFormatsFilter(t *testing.T) {
	s := newStage(t, nil)
	for _, filter := range []string{`{formats: [PNG]}`, `{formats: [PNG, WEBP]}`} {
		if a := s.graphQL("guest", `{ files(folder: "a", filter: `+filter+`) { totalCount } }`, nil); a.json("data",
			"files", "totalCount") != 1.0 {
			t.Errorf("%s: %s", filter, a.body)
		}
	}
	a := s.graphQL(
		"guest",
		`{ parseProcessorUrl(url: "/unsafe/trim:bottom-right/10x10/left/top/a/b.png") { trimBy hAlign vAlign } }`,
		nil,
	)
	if !strings.Contains(a.body, `{"trimBy":"BOTTOM_RIGHT","hAlign":"LEFT","vAlign":"TOP"}`) {
		t.Errorf("%s", a.body)
	}
}

// TestPinsOfHiddenFolders: pinning a folder removes pins of folders that are gone, and keeps those of hidden ones.
func TestPinsOfHiddenFolders(t *testing.T) {
	s := newStage(t, nil)
	ids := map[string]string{}
	for _, path := range []string{"gone", "hidden", "new"} {
		s.store(path+"/x.png", png)
		a := s.graphQL("user", `query ($p: String!) { folder(path: $p) { id } }`, map[string]any{"p": path})
		ids[path] = between(a.body, `"id":"`, `"`)
	}
	pin := func(path string) {
		t.Helper()
		a := s.graphQL(
			"user", `mutation ($p: String!) { pinFolder(input: {path: $p, pinned: true}) { folder { path } } }`,
			map[string]any{"p": path})
		if !strings.Contains(a.body, `"path":"`+path+`"`) {
			t.Fatalf("%s", a.body)
		}
	}
	pin("gone")
	pin("hidden")
	s.graphQL("user", `mutation { deleteFiles(input: {paths: ["gone"]}) { results { ok } } }`, nil)
	s.must(s.db.Entry.Update().Where(entry.Path("hidden")).SetHidden(true).Exec(t.Context()))
	pin("new")
	u, err := s.db.User.Query().Where(user.PinnedFoldersNotNil()).Only(t.Context())
	s.must(err)
	if !slices.Equal(u.PinnedFolders, []string{ids["hidden"], ids["new"]}) {
		t.Errorf("the pins are %q, the folders %q", u.PinnedFolders, ids)
	}
}

// TestFilesByPath: files come in the order of their paths, with what is known of them; what is gone is left out.
func TestFilesByPath(t *testing.T) {
	s := newStage(t, nil)
	s.store("one/x.png", png)
	s.store("two/x.png", png)
	s.store("gone.png", png)
	s.graphQL("user", `mutation {
		tagFiles(input: {paths: ["one/x.png"], add: ["Sea"]}) { results { ok } }
		rateFiles(input: {paths: ["one/x.png"], rating: 4, favorite: true}) { results { ok } }
		deleteFiles(input: {paths: ["gone.png"]}) { results { ok } }
	}`, nil)
	ask := func(paths ...string) answer {
		return s.graphQL("guest", `query ($paths: [String!]!) { filesByPath(paths: $paths) { path tags rating favorite } }`,
			map[string]any{"paths": paths})
	}
	want := `[{"path":"two/x.png","tags":[],"rating":0,"favorite":false},` +
		`{"path":"one/x.png","tags":["Sea"],"rating":4,"favorite":true}]`
	if a := ask("two/x.png", "gone.png", "one", "one/x.png"); !strings.Contains(a.body, want) {
		t.Errorf("%s, expected %s", a.body, want)
	}
	for _, bad := range [][]string{{}, slices.Repeat([]string{"one/x.png"}, 1001)} {
		if a := ask(bad...); a.code() != "INVALID" {
			t.Errorf("%d paths: %s", len(bad), a.body)
		}
	}
}

// TestFoldersByID: folders come in the order of their ids, and what is gone is left out.
func TestFoldersByID(t *testing.T) {
	s := newStage(t, nil)
	s.store("one/two/x.png", png)
	s.store("gone/x.png", png)
	id := func(path string) string {
		a := s.graphQL("user", `query ($p: String!) { folder(path: $p) { id } }`, map[string]any{"p": path})
		return between(a.body, `"id":"`, `"`)
	}
	ids := []string{id("one/two"), id("gone"), id("one")}
	s.graphQL("user", `mutation { deleteFiles(input: {paths: ["gone"]}) { results { ok } } }`, nil)
	ask := func(ids ...string) answer {
		return s.graphQL("guest", `query ($ids: [ID!]!) { foldersById(ids: $ids) { path fileCount hasFolders } }`,
			map[string]any{"ids": ids})
	}
	want := `[{"path":"one/two","fileCount":1,"hasFolders":false},{"path":"one","fileCount":1,"hasFolders":true}]`
	if a := ask(ids...); !strings.Contains(a.body, want) {
		t.Errorf("%s, expected %s", a.body, want)
	}
	file := s.graphQL("user", `{ file(path: "one/two/x.png") { id } }`, nil)
	for _, bad := range [][]string{{}, {"none"}, {between(file.body, `"id":"`, `"`)}, slices.Repeat(ids[:1], 101)} {
		if a := ask(bad...); a.code() != "INVALID" {
			t.Errorf("%d ids: %s", len(bad), a.body)
		}
	}
}
