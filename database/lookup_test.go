package database_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
)

// TestLookup holds that the planner's settings of a lookup end with it.
func TestLookup(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		if name != "postgres" {
			t.Skip("SQLite has no such settings")
		}
		pool.SetMaxOpenConns(1)
		db := database.New(pool, name)
		setting := func(ctx context.Context, c *ent.Client) (value string) {
			rows, err := c.QueryContext(ctx, "SELECT current_setting('enable_seqscan') || ' ' || current_setting('jit')")
			must(t, err)
			defer rows.Close()
			for rows.Next() {
				must(t, rows.Scan(&value))
			}
			return value
		}
		before := setting(t.Context(), db.Client)
		must(t, db.Lookup(t.Context(), func(c *ent.Client) error {
			if got := setting(t.Context(), c); got != "off off" {
				t.Errorf("within: %s", got)
			}
			return nil
		}))
		if got := setting(t.Context(), db.Client); got != before {
			t.Errorf("after: %s, expected %s", got, before)
		}
	})
}
