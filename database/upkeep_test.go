package database_test

import (
	"database/sql"
	"fmt"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
)

// TestUpkeep checks that a table is vacuumed and analyzed once after many rows were added, and again after
// many have changed, but not otherwise. In particular, it must not be vacuumed for rows that a transaction
// prevents it from removing.
func TestUpkeep(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		pool.SetMaxOpenConns(1) // one connection, so that its statistics are reported immediately
		db := database.New(pool, name)
		if name != dialect.Postgres {
			must(t, db.Upkeep(t.Context()))
			return
		}
		check := func(when, statement string, vacuums int) {
			t.Helper()
			for _, s := range []string{statement, "SELECT pg_stat_force_next_flush()", "SELECT 1"} {
				_, err := pool.Exec(s)
				must(t, err)
			}
			must(t, db.Upkeep(t.Context()))
			var n, analyzes int
			must(
				t,
				pool.QueryRow("SELECT vacuum_count, analyze_count FROM pg_stat_user_tables WHERE relid = "+
					"'entries'::regclass").
					Scan(&n, &analyzes),
			)
			if n != vacuums || analyzes != vacuums {
				t.Errorf("%s: %d times vacuumed and %d analyzed, expected %d", when, n, analyzes, vacuums)
			}
		}
		_, err := pool.Exec("ALTER TABLE entries SET (autovacuum_enabled = off)")
		must(t, err)
		insert := "INSERT INTO entries (path, name, name_key, kind) SELECT 'f' || i, 'f' || i, convert_to(i::text, " +
			"'UTF8'), 1 FROM generate_series(%s) AS i"
		check("an empty table", "SELECT 1", 0)
		check("a few rows", fmt.Sprintf(insert, "1, 9000"), 0)
		check("many rows", fmt.Sprintf(insert, "9001, 12000"), 1)
		check("no change", "SELECT 1", 1)
		check("many changes", "UPDATE entries SET size = 5 WHERE name_key <> 'f1'", 2)
		var visible bool
		must(
			t,
			pool.QueryRow("SELECT relallvisible = relpages AND reltuples = 12000 FROM pg_class WHERE oid = "+
				"'entries'::regclass").
				Scan(&visible),
		)
		if !visible {
			t.Error("the index alone cannot answer")
		}
		pool.SetMaxOpenConns(2)
		dump, err := pool.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
		must(t, err)
		defer dump.Rollback()
		_, err = dump.Exec("SELECT count(*) FROM entries")
		must(t, err)
		check("changes during a dump", "UPDATE entries SET size = 6", 3)
		check("no change during a dump", "SELECT 1", 3)
	})
}
