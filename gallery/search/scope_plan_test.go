package search

import (
	"database/sql"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/access"
)

// TestFolderPlans checks that the folders that a caller may see, those below a folder, and those below a name
// are read starting from their parents, even without statistics. Otherwise all folders would be read for each
// one. PostgreSQL may read them once per level.
func TestFolderPlans(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		_, err := pool.Exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) " +
			"INSERT INTO entries (path, parent_id, name, name_key, kind) SELECT 'd' || i, 1, 'd' || i, 'd', 0 FROM n")
		if err != nil {
			t.Fatal(err)
		}
		db := database.New(pool, name)
		explain := "EXPLAIN QUERY PLAN "
		if name == dialect.Postgres {
			explain = "EXPLAIN "
		}
		named := entsql.Dialect(name).Select("id").From(entsql.Table(entry.Table))
		named.Where(entsql.P(func(b *entsql.Builder) { isInside(b, named.C(entry.FieldParentID), "d7") }))
		below := New(db, access.Everything())
		below.In(&ent.Entry{ID: 2, Path: "d1"}, true)
		seen := entsql.Dialect(name).Select("id").From(entsql.Table(entry.Table))
		seen.Where(entsql.P(func(b *entsql.Builder) {
			b.Ident(seen.C(entry.FieldParentID))
			in, arg := inViewable(name, []string{"d1", "d2"})
			write(b, in, arg)
		}))
		for what, query := range map[string]func() (string, []any){
			"seen":  seen.Query,
			"named": named.Query,
			"below": func() (string, []any) {
				return "SELECT n FROM entry_counts WHERE " + below.ofFolders(KindFile, true), nil
			},
		} {
			statement, args := query()
			plan := text(t, pool, explain+statement, args...)
			if !strings.Contains(plan, "(parent_id=? AND kind=?)") && !strings.Contains(plan, "Hash Join") &&
				!strings.Contains(plan, "(parent_id = ") {
				t.Errorf("%s: the plan reads all folders for each one:\n%s", what, plan)
			}
		}
	})
}
