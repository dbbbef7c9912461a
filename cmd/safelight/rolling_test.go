package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
)

// launchOld starts another version of the program, SAFELIGHT_TEST_OLD, in a data folder.
func launchOld(t *testing.T, program, data string, flags ...string) *realServer {
	t.Helper()
	s, err := launchProgram(t, program, data, nil, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRollingUpgrade runs the version before and this one on one PostgreSQL database and one folder: the old one makes
// the gallery, the new one migrates the database below it, both change and read everything, and the old one starts
// again on the new schema. make rolling builds the old one.
func TestRollingUpgrade(t *testing.T) {
	program := os.Getenv("SAFELIGHT_TEST_OLD")
	if program == "" {
		t.Skip("SAFELIGHT_TEST_OLD names no program: make rolling builds one and sets it")
	}
	address := databasetest.EmptyPostgres(t)
	flags := []string{"--database", address, "--storage", "file://" + t.TempDir()}
	data := t.TempDir()
	before := launchOld(t, program, data, flags...)
	token := before.login()
	furnish(before, token)
	const everything = `{ files(recursive: true, first: 100, search: "img") { totalCount nodes { id path etag width blurHash tags description rating favorite } } }`
	want := fmt.Sprint(before.ask(token, everything))

	keys, err := os.ReadFile(filepath.Join(data, "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	if err := os.WriteFile(filepath.Join(own, "keys.json"), keys, 0o600); err != nil {
		t.Fatal(err)
	}
	after := launchIn(t, own, nil, flags...)
	t.Cleanup(func() { _ = after.stop() })
	for name, s := range map[string]*realServer{"old": before, "new": after} {
		if got := fmt.Sprint(s.ask(token, everything)); got != want {
			t.Errorf("the %s version after the migration: %s\nexpected %s", name, got, want)
		}
	}
	changeThroughBoth(t, token, "upgrade", before, after)

	if err := before.stop(); err != nil {
		t.Error(err)
	}
	before = launchOld(t, program, data, flags...) // on the new schema, as after a failed upgrade
	t.Cleanup(func() { _ = before.stop() })
	changeThroughBoth(t, before.login(), "back", after, before)
}

// changeThroughBoth makes the main changes through one server, checks them through the other, and vice versa.
func changeThroughBoth(t *testing.T, token, round string, one, two *realServer) {
	t.Helper()
	for i, pair := range [][2]*realServer{{one, two}, {two, one}} {
		a, b := pair[0], pair[1]
		dir := fmt.Sprintf("%s%d", round, i)
		for _, name := range []string{"a.jpg", "b.jpg", "c.jpg"} {
			if r := a.upload(token, dir+"/"+name, drawn(t, i)); strings.Contains(string(r.body), `"code":`) {
				t.Fatalf("upload: %s", r.body)
			}
		}
		a.ask(
			token,
			fmt.Sprintf(
				`mutation { moveFiles(input: {paths: ["%s/b.jpg"], folder: "%s/moved"}) { results { ok } } }`,
				dir, dir,
			),
		)
		b.ask(
			token,
			fmt.Sprintf(
				`mutation { updateFile(input: {path: "%s/a.jpg", tags: ["both"], rating: 4}) { userErrors { message } } }`,
				dir,
			),
		)
		b.ask(token, fmt.Sprintf(`mutation { deleteFiles(input: {paths: ["%s/c.jpg"]}) { results { ok } } }`, dir))
		want := ""
		for _, s := range []*realServer{a, b} {
			got := fmt.Sprint(
				s.ask(
					token,
					fmt.Sprintf(`{ files(folder: %q, recursive: true) { nodes { id path tags rating } } }`, dir),
				),
			)
			if want == "" {
				want = got
			}
			if got != want || !strings.Contains(got, "moved/b.jpg") || !strings.Contains(got, "both") ||
				strings.Contains(got, "c.jpg") {
				t.Errorf("after the changes: %s, on the other %s", got, want)
			}
			trash := fmt.Sprint(s.ask(token, `{ trashedFiles { nodes { path } } }`))
			if !strings.Contains(trash, dir+"/c.jpg") {
				t.Errorf("the trash has %s", trash)
			}
		}
		address, _ := a.ask(token, fmt.Sprintf(`{ file(path: "%s/a.jpg") { thumbnailUrls { grid } } }`, dir), "file",
			"thumbnailUrls", "grid").(string)
		if r := b.get(strings.TrimPrefix(address, a.url)); r.status != http.StatusOK {
			t.Errorf("a URL of the other version: %d %s", r.status, r.body)
		}
		session := a.login()
		b.ask(session, "{ me { username } }")
		if r := b.post("/api/auth/logout", "", session); r.status >= 300 {
			t.Errorf("logout: %d", r.status)
		}
		r := a.post("/api/graphql", `{"query":"{ me { username } }"}`, session)
		if !strings.Contains(string(r.body), "UNAUTHENTICATED") {
			t.Errorf("a session that was ended through the other version: %s", r.body)
		}
	}
}
