package database_test

import (
	"bytes"
	"database/sql"
	"sync"
	"testing"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent/migrate"
)

// TestMigrationsReachTheSchema: after all SQL files, the database equals the ent schemas.
func TestMigrationsReachTheSchema(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		before, err := database.MigrationStatus(t.Context(), db, name)
		must(t, err)
		if len(before) == 0 || before[0].Applied {
			t.Errorf("before: %+v", before)
		}
		must(t, database.Migrate(t.Context(), db, name))
		must(t, database.Migrate(t.Context(), db, name))
		after, err := database.MigrationStatus(t.Context(), db, name)
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
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		if name == dialect.SQLite {
			t.Skip("one process has an SQLite database, and it migrates once")
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := database.Migrate(t.Context(), db, name); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
