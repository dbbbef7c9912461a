package search

import (
	"database/sql"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/imaging"
)

// TestCountsOfAPart counts what a caller may view of a library, with and without templates, of all formats
// and of one.
func TestCountsOfAPart(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, statement := range []string{
			"INSERT INTO entries (id, path, parent_id, name, name_key, kind) VALUES (100, '', 0, '', '', 0), " +
				"(102, 'a', 100, 'a', 'a', 0), (103, 'b', 100, 'b', 'b', 0)",
			"INSERT INTO entries (path, parent_id, name, name_key, kind, type, meta_state) VALUES " +
				"('a/x.png', 102, 'x.png', 'x.png', 1, 'png', 1), ('a/y.jpg', 102, 'y.jpg', 'y.jpg', 1, 'jpeg', 1), " +
				"('a/z.template.json', 102, 'z.template.json', 'z.template.json', 1, '', 3), " +
				"('b/x.png', 103, 'x.png', 'x.png', 1, 'png', 1)",
		} {
			_, err := pool.Exec(statement)
			must(err)
		}
		db := database.New(pool, name)
		rights := access.New(db, nil)
		admin := auth.Identity{Role: auth.RoleAdmin, Scopes: []auth.Scope{auth.ScopeRead}}
		ctx, _, err := rights.Within(t.Context(), admin, []string{"a"}, access.View)
		must(err)
		scope, err := rights.Scope(ctx)
		must(err)
		none := false
		for _, one := range []struct {
			filter Filter
			want   int
		}{
			{Filter{}, 3},
			{Filter{IsTemplate: &none}, 2},
			{Filter{Formats: []imaging.Format{"png"}}, 1},
			{Filter{Formats: []imaging.Format{"png"}, IsTemplate: &none}, 1},
		} {
			for _, early := range []bool{false, true} { // whether the filter is set before the folders are read
				c := New(db, scope)
				if early {
					must(c.Filter(ctx, one.filter))
				}
				must(c.Folder(ctx, &ent.Entry{}, true))
				if !early {
					must(c.Filter(ctx, one.filter))
				}
				if n, known, err := c.Count(ctx, KindFile, true, false); err != nil || !known || n != one.want {
					t.Errorf("%+v: %d files, %t, %v, expected %d", one, n, known, err, one.want)
				}
			}
		}
	})
}
