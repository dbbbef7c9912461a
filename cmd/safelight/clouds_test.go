package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestClouds runs a server on Google Cloud Storage and one on Azure, as emulators: make test-clouds.
func TestClouds(t *testing.T) {
	for kind, c := range map[string]struct{ variable, place string }{
		"gs":     {"SAFELIGHT_TEST_GS", "safelight-test"},
		"azblob": {"SAFELIGHT_TEST_AZBLOB", "devstoreaccount1/safelight-test"},
	} {
		t.Run(kind, func(t *testing.T) {
			bucket, query, _ := strings.Cut(os.Getenv(c.variable), "?")
			if bucket == "" {
				t.Skip(c.variable + " names no bucket: make test-clouds starts a server and sets it")
			}
			folder := func() string { return bucket + "/server-" + rand.Text() + "?" + query }
			files, mount := folder(), folder()
			flags := []string{
				"--storage",
				files,
				"--storage-mounts",
				"other=" + mount,
				"--result-cache",
				"memory," + folder(),
			}
			data := t.TempDir()
			s := launchIn(t, data, nil, flags...)
			lifeOfAFile(t, s)
			if err := s.stop(); err != nil {
				t.Error(err)
			}
			out := mustRun(t, data, "", append([]string{"doctor"}, flags...)...)
			if !strings.Contains(out, kind+" "+c.place) {
				t.Errorf("the doctor says %s", out)
			}
			// a folder of files moves to the cloud
			local, to := t.TempDir(), folder()
			s = launchIn(t, local, nil)
			if r := s.upload(s.login(), "sub/p.jpg", drawn(t, 3)); strings.Contains(string(r.body), `"code":`) {
				t.Errorf("an upload: %s", r.body)
			}
			if err := s.stop(); err != nil {
				t.Error(err)
			}
			mustRun(t, local, "", "move-storage", "--to", to)
			s = launchIn(t, local, nil, "--storage", to)
			defer s.stop()
			if got := fmt.Sprint(s.ask(s.login(), `{ files(folder: "sub") { nodes { name } } }`, "files",
				"nodes")); !strings.Contains(
				got,
				"p.jpg",
			) {
				t.Errorf("moved files: %s", got)
			}
		})
	}
}

// lifeOfAFile uploads a file, shows, moves, trashes, restores and deletes it.
func lifeOfAFile(t *testing.T, s *realServer) {
	token := s.login()
	names := func(folder string) string {
		return fmt.Sprint(
			s.ask(token, fmt.Sprintf(`{ files(folder: %q) { nodes { name } } }`, folder), "files", "nodes"),
		)
	}
	if r := s.upload(token, "a b/ünï.jpg", drawn(t, 1)); strings.Contains(string(r.body), `"code":`) {
		t.Fatalf("an upload: %s", r.body)
	}
	if r := s.upload(token, "a b/ünï.jpg", drawn(t, 2)); !strings.Contains(string(r.body), "CONFLICT") {
		t.Errorf("an upload over a file: %s", r.body)
	}
	address, _ := s.ask(token, `{ file(path: "a b/ünï.jpg") { thumbnailUrls { grid } } }`, "file", "thumbnailUrls",
		"grid").(string)
	if r := s.get(strings.TrimPrefix(address, s.url)); r.status != http.StatusOK ||
		!strings.HasPrefix(r.header.Get("Content-Type"), "image/") {
		t.Errorf("a thumbnail: %d %s", r.status, r.header.Get("Content-Type"))
	}
	s.ask(
		token,
		`mutation { moveFiles(input: {paths: ["a b/ünï.jpg"], folder: "trip", name: "b.jpg"}) { results { ok error { code message field } } userErrors { code message field } } }`,
	)
	// to another storage
	s.ask(
		token,
		`mutation { moveFiles(input: {paths: ["trip"], folder: "other", name: "trip"}) { results { ok error { code message field } } userErrors { code message field } } }`,
	)
	s.ask(
		token,
		`mutation { moveFiles(input: {paths: ["other/trip/b.jpg"], folder: "", name: "c.jpg"}) { results { ok error { code message field } } userErrors { code message field } } }`,
	)
	s.ask(
		token,
		`mutation { copyFiles(input: {paths: ["c.jpg"], folder: "other", name: "d.jpg"}) { results { ok error { code message field } } userErrors { code message field } } }`,
	)
	if got := names("") + names("other"); !strings.Contains(got, "c.jpg") || !strings.Contains(got, "d.jpg") ||
		strings.Contains(got, "b.jpg") {
		t.Errorf("after the moves: %s", got)
	}
	s.ask(
		token,
		`mutation { deleteFiles(input: {paths: ["c.jpg"]}) { results { ok error { code message field } } userErrors { code message field } } }`,
	)
	if got := names(""); strings.Contains(got, "c.jpg") {
		t.Errorf("after the deletion: %s", got)
	}
	trashed := fmt.Sprint(s.ask(token, `{ trashedFiles(first: 10) { nodes { id } } }`, "trashedFiles", "nodes"))
	id := strings.TrimSuffix(strings.TrimPrefix(trashed, "[map[id:"), "]]")
	s.ask(token, fmt.Sprintf(`mutation { restoreFiles(input: {ids: [%q]}) { userErrors { message } } }`, id))
	if got := names(""); !strings.Contains(got, "c.jpg") {
		t.Errorf("after %s was restored: %s", id, got)
	}
	s.ask(
		token,
		`mutation { deleteFiles(input: {paths: ["c.jpg"]}) { results { ok error { code message field } } userErrors { code message field } } }`,
	)
	s.ask(token, `mutation { emptyTrash { userErrors { message } } }`)
	got := s.ask(token, `{ trashedFiles(first: 10) { nodes { id } } }`, "trashedFiles", "nodes")
	if fmt.Sprint(got) != "[]" {
		t.Errorf("the trash holds %v", got)
	}
}
