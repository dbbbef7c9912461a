package bitmaps

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
)

// TestWrittenMeanwhile: a block that was read before another server wrote it, dropped it or chose other terms is not written, or changes would be
// lost that the other has taken from the log.
func TestWrittenMeanwhile(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), pool, name))
		db := database.New(pool, name)
		exec := func(query string) {
			t.Helper()
			_, err := pool.Exec(query)
			must(t, err)
		}
		for i := range 20 {
			exec(fmt.Sprintf("INSERT INTO entries (path, name, name_key, kind, words) VALUES ('f%d', 'f%[1]d', 'f%[1]d', 1, 'red')", i))
		}
		count := func(when, word string, want int, wantKnown bool) {
			t.Helper()
			n, known, err := Count(t.Context(), db, Query{All: [][]string{{word}}, Rows: entsql.Expr("kind = 1 AND words LIKE '%" + word + "%'")})
			if err != nil || known != wantKnown || known && n != want {
				t.Errorf("%s: %d files with %s (known: %v, %v), expected %d", when, n, word, known, err, want)
			}
		}
		k := New(db, Config{MinFiles: -1, Common: 1, Eager: true})
		make := func() { t.Helper(); must(t, k.Upkeep(t.Context())) }
		read := func() *block {
			t.Helper()
			s, err := k.state(t.Context())
			must(t, err)
			b, err := k.read(t.Context(), 0, newVocabulary(s.version, append(fixedTerms(), "red", "blue")))
			must(t, err)
			return b
		}
		make()
		count("at first", "red", 20, true)
		for what, meanwhile := range map[string]func(){
			"written":   func() { s := read(); must(t, k.write(t.Context(), s)) },
			"chosen":    make,
			"dropped":   func() { s, err := k.state(t.Context()); must(t, err); must(t, k.drop(t.Context(), s)) },
			"made anew": func() { s, err := k.state(t.Context()); must(t, err); must(t, k.drop(t.Context(), s)); make() },
		} {
			exec("UPDATE entries SET words = 'red' WHERE kind = 1")
			make()
			stale := read()
			exec("UPDATE entries SET words = 'blue' WHERE path IN ('f1', 'f2')")
			meanwhile()
			must(t, k.write(t.Context(), stale))
			count(what, "red", 18, what != "dropped")
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestTermsOfTwoServers holds that only one of two servers that choose terms at once makes blocks with them: those of the other would lack terms.
func TestTermsOfTwoServers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), pool, name))
		for i := range 50 {
			_, err := pool.Exec(fmt.Sprintf("INSERT INTO entries (path, parent_id, name, name_key, kind, words, type) VALUES ('n%d', 1, 'n%[1]d', '%[1]d', 1, 'img w%[1]d', 'jpeg')", i))
			must(t, err)
		}
		db := database.New(pool, name)
		first, second := New(db, Config{MinFiles: -1, Common: 1}), New(db, Config{MinFiles: -1, Common: 1000})
		one, err := first.state(t.Context())
		must(t, err)
		one.files = 50
		two := *one
		if _, err = first.vocabulary(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		if _, err = second.vocabulary(t.Context(), &two); !errors.Is(err, errChosen) {
			t.Errorf("the second server has %v, expected %v", err, errChosen)
		}
	})
}
