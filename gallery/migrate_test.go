package gallery_test

import (
	"bytes"
	"database/sql"
	"sync"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent/migrate"
	"github.com/safelight/safelight/gallery"
)

// TestMigrationsReachTheSchema holds that the SQL files make what the ent schemas say: nothing is left to change.
func TestMigrationsReachTheSchema(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db *sql.DB, name string) {
		before, err := gallery.MigrationStatus(t.Context(), db, name)
		must(t, err)
		if len(before) == 0 || before[0].Applied {
			t.Errorf("before: %+v", before)
		}
		must(t, gallery.Migrate(t.Context(), db, name))
		must(t, gallery.Migrate(t.Context(), db, name))
		after, err := gallery.MigrationStatus(t.Context(), db, name)
		must(t, err)
		for _, m := range after {
			if !m.Applied {
				t.Errorf("%s is not applied", m.Name)
			}
		}
		var drift bytes.Buffer
		must(t, migrate.NewSchema(entsql.OpenDB(name, db)).WriteTo(t.Context(), &drift))
		if text := bytes.TrimSpace(drift.Bytes()); bytes.Contains(text, []byte("TABLE")) || bytes.Contains(text, []byte("INDEX")) {
			t.Errorf("the migrations lack:\n%s", text)
		}
	})
}

func TestMigrateAtOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db *sql.DB, name string) {
		if name == dialect.SQLite {
			t.Skip("one process has an SQLite database, and it migrates once")
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := gallery.Migrate(t.Context(), db, name); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}
