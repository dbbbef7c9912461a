package database_test

import (
	"database/sql"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
)

// TestLookup checks that the planner settings of a lookup are reset afterwards.
func TestLookup(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		if name != "postgres" {
			t.Skip("SQLite has no such settings")
		}
		pool.SetMaxOpenConns(1)
		db := database.New(pool, name)
		setting := func(c *ent.Client) string {
			return databasetest.Setting(t, c, "enable_seqscan") + " " + databasetest.Setting(t, c, "jit")
		}
		before := setting(db.Client)
		must(t, db.Lookup(t.Context(), func(c *ent.Client) error {
			if got := setting(c); got != "off off" {
				t.Errorf("within: %s", got)
			}
			return nil
		}))
		if got := setting(db.Client); got != before {
			t.Errorf("after: %s, expected %s", got, before)
		}
	})
}
