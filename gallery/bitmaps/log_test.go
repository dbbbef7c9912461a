package bitmaps

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
)

// writing is a database of 20 files with the word red, for transactions that make some of them blue.
type writing struct {
	*testing.T
	pool *sql.DB
	db   *database.DB
}

func newWriting(t *testing.T, pool *sql.DB, name string) *writing {
	must(t, database.Migrate(t.Context(), pool, name))
	w := &writing{t, pool, database.New(pool, name)}
	for i := range 20 {
		w.exec(fmt.Sprintf("INSERT INTO entries (path, parent_id, name, name_key, kind, words, type) VALUES ('f%d', 1, 'f%[1]d', 'f%[1]d', 1, 'red', 'jpeg')", i))
	}
	return w
}

func (w *writing) exec(query string) {
	w.Helper()
	_, err := w.pool.Exec(query)
	must(w.T, err)
}

// begin begins a transaction with a statement.
func (w *writing) begin(statement string) *sql.Tx {
	w.Helper()
	tx, err := w.pool.Begin()
	must(w.T, err)
	w.Cleanup(func() { tx.Rollback() }) //nolint:errcheck // committed, or the test has failed
	_, err = tx.Exec(statement)
	must(w.T, err)
	return tx
}

func (w *writing) number(query string) (n int) {
	w.Helper()
	must(w.T, w.pool.QueryRow(query).Scan(&n))
	return n
}

// red holds that bitmaps count the files with the word.
func (w *writing) red(when string, want int, wantKnown bool) {
	w.Helper()
	n, known, err := Count(w.Context(), w.db, Query{All: [][]string{{"red"}}, Rows: entsql.Expr("kind = 1 AND words LIKE '%red%'")})
	if err != nil || known != wantKnown || known && n != want {
		w.Errorf("%s: %d red files (known: %v, %v), expected %d (%v)", when, n, known, err, want, wantKnown)
	}
}

// TestLogBesideWriters holds that bitmaps are made beside a vacuum and beside transactions that log what they write, not before those have ended that do not, and
// that no change of either is lost.
func TestLogBesideWriters(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		if name != "postgres" {
			t.Skip("SQLite has one writer at a time")
		}
		w := newWriting(t, pool, name)
		vacuum := w.begin("LOCK TABLE entries IN SHARE UPDATE EXCLUSIVE MODE") // as a vacuum does
		old := w.begin("UPDATE entries SET words = 'blue' WHERE path = 'f1'")
		must(t, New(w.db, Config{MinFiles: -1, Common: 1, Eager: true, Wait: func(context.Context, int) bool { return false }}).Upkeep(t.Context()))
		w.red("beside a writer that logs nothing", 0, false)
		w.exec("UPDATE bitmap_state SET pending = 0") // as before
		var young *sql.Tx
		must(t, New(w.db, Config{MinFiles: -1, Common: 1, Eager: true, Wait: func(_ context.Context, n int) bool {
			w.red("while it waits", 0, false)
			if n == 1 {
				young = w.begin("UPDATE entries SET words = 'blue' WHERE path = 'f2'")
			} else {
				must(t, old.Commit())
			}
			return n < 3
		}}).Upkeep(t.Context()))
		w.red("beside a writer that logs", 19, true)
		must(t, young.Commit())
		w.red("after it", 18, true)
		must(t, vacuum.Commit())
		w.exec("UPDATE entries SET words = 'red' WHERE path = 'f1'")
		w.red("after all", 19, true)
	})
}

// TestLogDropped holds that a server which has dropped bitmaps keeps another from counting with those that it was about to make, and that nothing is logged then.
func TestLogDropped(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		w := newWriting(t, pool, name)
		w.exec("UPDATE bitmap_state SET pending = 20") // by a server that has ended
		if name == "postgres" {
			w.exec("UPDATE entries SET words = 'blue' WHERE path = 'f1'")
			if n := w.number("SELECT count(*) FROM bitmap_changes"); n != 1 {
				t.Errorf("%d changes are logged, expected 1", n)
			}
		}
		k := New(w.db, Config{MinFiles: 1000, Eager: true})
		must(t, k.Upkeep(t.Context()))
		w.exec("UPDATE entries SET words = 'blue' WHERE path = 'f2'")
		if n := w.number("SELECT pending + (SELECT count(*) FROM bitmap_changes) FROM bitmap_state"); n != 0 {
			t.Errorf("after bitmaps were dropped: %d, expected 0", n)
		}
		version := w.number("SELECT version FROM bitmap_state")
		if done, err := k.log(t.Context(), version-1); done || err != nil {
			t.Errorf("changes are logged for terms that another server has dropped (%v)", err)
		}
		if done, err := k.log(t.Context(), version); !done || err != nil {
			t.Errorf("changes are not logged (%v)", err)
		}
		if name != "postgres" {
			return
		}
		writer := w.begin("UPDATE entries SET words = 'blue' WHERE path = 'f3'")
		k.config.Wait = func(context.Context, int) bool { // another server drops all, and asks for changes again
			must(t, k.drop(t.Context(), &state{logged: 20}))
			w.exec("UPDATE bitmap_state SET pending = 20")
			must(t, writer.Commit())
			return true
		}
		if done, err := k.log(t.Context(), version); done || err != nil {
			t.Errorf("changes are logged, although bitmaps were dropped meanwhile (%v)", err)
		}
	})
}

// TestMissingSet holds that files are counted by their rows if a bitmap is missing, whether that of a word or a column.
func TestMissingSet(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		w := newWriting(t, pool, name)
		must(t, New(w.db, Config{MinFiles: -1, Common: 1, Eager: true}).Upkeep(t.Context()))
		w.red("at first", 20, true)
		all := Query{Ranges: []Range{{Column: "size", Low: 0, High: 10}}, Folder: 1, Rows: entsql.Expr("kind = 1")}
		if n, known, err := Count(t.Context(), w.db, all); n != 20 || !known || err != nil {
			t.Errorf("%d files (known: %v, %v), expected 20", n, known, err)
		}
		w.exec("DELETE FROM bitmaps")
		w.red("without bitmaps", 0, false)
		if _, known, err := Count(t.Context(), w.db, all); known || err != nil {
			t.Errorf("files are known without bitmaps (%v)", err)
		}
	})
}
