package main

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery/bitmaps"
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

// TestRollingUpgrade runs the version before and this one on one PostgreSQL database and one folder: the old one makes the gallery, the new one
// migrates the database below it, both change and read everything, and the old one starts again on the new schema. make rolling builds the old one.
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
	counts := makeBitmaps(t, address)
	counts.match("made below both")
	changeThroughBoth(t, token, "upgrade", before, after)
	counts.match("after changes through both")

	if err := before.stop(); err != nil {
		t.Error(err)
	}
	before = launchOld(t, program, data, flags...) // on the new schema, as after a failed upgrade
	t.Cleanup(func() { _ = before.stop() })
	changeThroughBoth(t, before.login(), "back", after, before)
	counts.match("after the old version has started again")
}

// bitmapCounts compares counts by bitmaps with those of rows, beside servers that change files.
type bitmapCounts struct {
	*testing.T
	pool *sql.DB
	db   *database.DB
}

// makeBitmaps makes the bitmaps of a small gallery, as a server does of a large one.
func makeBitmaps(t *testing.T, address string) bitmapCounts {
	t.Helper()
	pool, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	if _, err := pool.Exec("INSERT INTO taggings (entry_id, key, name) SELECT id, 'both', 'both' FROM entries WHERE kind = 1 LIMIT 1"); err != nil { // bitmaps know it then
		t.Fatal(err)
	}
	c := bitmapCounts{t, pool, database.New(pool, dialect.Postgres)}
	for range 300 { // a writer or autovacuum may be in the way
		if err := bitmaps.New(c.db, bitmaps.Config{MinFiles: -1, Common: 1, Eager: true}).Upkeep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, known, _ := c.count(bitmaps.Query{Rows: entsql.Expr("kind = 1 AND NOT hidden")}); known {
			return c
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("no bitmaps were made in 300 tries over 30 s")
	return c
}

func (c bitmapCounts) count(q bitmaps.Query) (int, bool, error) {
	return bitmaps.Count(c.Context(), c.db, q)
}

// match holds that bitmaps, with the changes that triggers have logged for servers of both versions, count what rows are.
func (c bitmapCounts) match(when string) {
	c.Helper()
	for where, q := range map[string]bitmaps.Query{
		"path <> ''":                {},
		"' ' || words LIKE '% jp%'": {All: [][]string{{"jp"}}},
		"type = 'jpeg'":             {All: [][]string{{bitmaps.Type("jpeg")}}},
		"rating = 4":                {All: [][]string{{bitmaps.Rating(4)}}},
		"width > 0":                 {Ranges: []bitmaps.Range{{Column: "width", Low: 1, High: bitmaps.Most}}},
		"EXISTS (SELECT 1 FROM taggings WHERE entry_id = entries.id AND key = 'both')": {All: [][]string{{bitmaps.Tag("both")}}},
	} {
		where = "kind = 1 AND NOT hidden AND " + where
		q.Rows = entsql.Expr(where)
		got, want, known := 0, 0, false
		for range 50 { // a server may write between the two
			var err error
			if got, known, err = c.count(q); err != nil {
				c.Fatal(err)
			}
			if err := c.pool.QueryRow("SELECT count(*) FROM entries WHERE " + where).Scan(&want); err != nil {
				c.Fatal(err)
			}
			if known && got == want {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if !known || got != want {
			c.Errorf("%s: %s: %d files by bitmaps (known: %v), expected %d", when, where, got, known, want)
		}
	}
}

// changeThroughBoth makes the main changes through one server, looks at them through the other, and the other way round.
func changeThroughBoth(t *testing.T, token, round string, one, two *realServer) {
	t.Helper()
	for i, pair := range [][2]*realServer{{one, two}, {two, one}} {
		a, b := pair[0], pair[1]
		dir := fmt.Sprintf("%s%d", round, i)
		for _, name := range []string{"a.jpg", "b.jpg", "c.jpg"} {
			if r := a.upload(token, dir+"/"+name, drawn(t, i)); strings.Contains(string(r.body), "errors") {
				t.Fatalf("upload: %s", r.body)
			}
		}
		a.ask(token, fmt.Sprintf(`mutation { moveFile(sourcePath: "%s/b.jpg", destPath: "%s/moved.jpg") }`, dir, dir))
		b.ask(token, fmt.Sprintf(`mutation { updateFile(input: {path: "%s/a.jpg", tags: ["both"], rating: 4}) { userErrors { message } } }`, dir))
		b.ask(token, fmt.Sprintf(`mutation { deleteFiles(input: {paths: ["%s/c.jpg"]}) { results { path } } }`, dir))
		want := ""
		for _, s := range []*realServer{a, b} {
			got := fmt.Sprint(s.ask(token, fmt.Sprintf(`{ files(folder: %q) { nodes { id path tags rating } } }`, dir)))
			if want == "" {
				want = got
			}
			if got != want || !strings.Contains(got, "moved.jpg") || !strings.Contains(got, "both") || strings.Contains(got, "c.jpg") {
				t.Errorf("after the changes: %s, on the other %s", got, want)
			}
			if trash := fmt.Sprint(s.ask(token, `{ trashedFiles { nodes { path } } }`)); !strings.Contains(trash, dir+"/c.jpg") {
				t.Errorf("the trash has %s", trash)
			}
		}
		address, _ := a.ask(token, fmt.Sprintf(`{ file(path: "%s/a.jpg") { thumbnailUrls { grid } } }`, dir), "file", "thumbnailUrls", "grid").(string)
		if r := b.get(strings.TrimPrefix(address, a.url)); r.status != http.StatusOK {
			t.Errorf("a URL of the other version: %d %s", r.status, r.body)
		}
		session := a.login()
		b.ask(session, "{ me { username } }")
		if r := b.post("/api/auth/logout", "", session); r.status >= 300 {
			t.Errorf("logout: %d", r.status)
		}
		if r := a.post("/api/graphql", `{"query":"{ me { username } }"}`, session); !strings.Contains(string(r.body), "UNAUTHENTICATED") {
			t.Errorf("a session that was ended through the other version: %s", r.body)
		}
	}
}
