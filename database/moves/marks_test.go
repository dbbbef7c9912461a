package moves

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database/databasetest"
)

// TestBeginElsewhere checks that a move to another place ends the previous one.
func TestBeginElsewhere(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		d := Database{pool, name, "here"}
		first, err := Begin(t.Context(), d, "there")
		must(t, err)
		second, err := Begin(t.Context(), d, "elsewhere")
		must(t, err)
		if err := Finish(t.Context(), d, first); err == nil || !strings.Contains(err.Error(), "canceled") {
			t.Errorf("the first move after the second has begun: %v", err)
		}
		must(t, Finish(t.Context(), d, second))
	})
}

// TestMarksOfFilesStay moves the files and then the database. Servers must still not start with the old
// storage, whether or not the database was moved.
func TestMarksOfFilesStay(t *testing.T) {
	for _, to := range []End{fileEnd(t), postgresEnd(t)} {
		from := fileEnd(t)
		source := opened(t, from, true)
		must(t, StopFileChanges(t.Context(), source, "bucket"))
		if _, err := Run(t.Context(), from, to, ignore); err == nil || !strings.Contains(err.Error(), "files of") {
			t.Errorf("both moves at once: %v", err)
		}
		must(t, FilesMoved(t.Context(), source, "bucket"))
		must(t, Resume(t.Context(), source, "bucket"))
		_, err := Begin(t.Context(), source, to.Place)
		must(t, err)
		if err := Ready(t.Context(), source, "other"); err == nil {
			t.Error("files may move while their database does")
		}
		must(t, Cancel(t.Context(), source))
		_, err = Run(t.Context(), from, to, ignore)
		must(t, err)
		for _, d := range []Database{source, opened(t, to, false)} {
			if err := Resume(t.Context(), d, "folder"); err == nil ||
				!strings.Contains(err.Error(), "moved to bucket") {
				t.Errorf("%s: a start on the old storage: %v", d.Place, err)
			}
			must(t, Resume(t.Context(), d, "bucket"))
		}
		if err := Check(t.Context(), source); err == nil || !strings.Contains(err.Error(), "was moved") {
			t.Errorf("a start on the old database: %v", err)
		}
	}
}

// TestFilesCanceled checks the error of a run after its move was canceled, and which storage is used then.
func TestFilesCanceled(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		d := Database{pool, name, "here"}
		must(t, StopFileChanges(t.Context(), d, "one"))
		must(t, FilesStopped(t.Context(), d, "one"))
		must(t, AllowFileChanges(t.Context(), d))
		for name, err := range map[string]error{"FilesStopped": FilesStopped(t.Context(), d, "one"),
			"FilesMoved": FilesMoved(t.Context(), d, "one")} {
			if err == nil || !strings.Contains(err.Error(), "the move was canceled") {
				t.Errorf("%s after the end: %v", name, err)
			}
		}
		must(t, Resume(t.Context(), d, "anywhere"))

		must(t, StopFileChanges(t.Context(), d, "one"))
		must(t, FilesMoved(t.Context(), d, "one"))
		must(t, Resume(t.Context(), d, "one"))
		must(t, StopFileChanges(t.Context(), d, "two"))
		must(t, StopFileChanges(t.Context(), d, "two"))
		must(t, FilesMoved(t.Context(), d, "two"))
		must(t, AllowFileChanges(t.Context(), d))
		if err := Resume(t.Context(), d, "two"); err == nil || !strings.Contains(err.Error(), "moved to one") {
			t.Errorf("a start on the storage of a move that was canceled: %v", err)
		}
		must(t, Resume(t.Context(), d, "one"))
		must(t, AllowFileChanges(t.Context(), d))
		must(t, Resume(t.Context(), d, "two"))
	})
}

// TestChange checks that a change waits up to a minute for locks, and that a connection whose ROLLBACK fails
// is not reused.
func TestChange(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		pool.SetMaxOpenConns(1)
		d, failed := Database{pool, name, "here"}, errors.New("failed")
		err := change(t.Context(), d, func(tx session) error {
			if name == dialect.Postgres {
				var limit string
				must(t, tx.QueryRowContext(t.Context(), "SHOW lock_timeout").Scan(&limit))
				if limit != "1min" {
					t.Errorf("it waits %s for a lock", limit)
				}
				return failed
			}
			// ROLLBACK fails, because there is no transaction.
			must(t, runAll(t.Context(), tx, "CREATE TEMP TABLE mine (id text)", "COMMIT"))
			return failed
		})
		if !errors.Is(err, failed) {
			t.Fatal(err)
		}
		if name == dialect.SQLite {
			var left int
			must(t, pool.QueryRow("SELECT count(*) FROM sqlite_temp_master").Scan(&left))
			if left != 0 {
				t.Error("the connection is used again")
			}
		}
	})
}

// TestMarkOfOlderVersions reads a table of earlier versions.
func TestMarkOfOlderVersions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		d := Database{pool, name, "here"}
		must(
			t,
			runAll(
				t.Context(), pool,
				"CREATE TABLE database_move (id text NOT NULL, state text NOT NULL, other text NOT NULL, since text "+
					"NOT NULL)",
				"INSERT INTO database_move VALUES ('', 'files arrived', 'bucket', '2026-11-22 10:00:00')",
			),
		)
		if err := Resume(t.Context(), d, "folder"); err == nil {
			t.Error("a server starts on the old storage")
		}
		must(t, Check(t.Context(), d))
	})
}
