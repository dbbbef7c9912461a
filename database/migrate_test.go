package database_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"database/sql"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/pressly/goose/v3"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent/migrate"
)

// TestMigrationsReachTheSchema checks that the database matches the ent schemas after all SQL files.
func TestMigrationsReachTheSchema(t *testing.T) {
	databasetest.EachEmpty(t, func(t *testing.T, db *sql.DB, name string) {
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
		if text := bytes.TrimSpace(drift.Bytes()); bytes.Contains(text, []byte("TABLE")) ||
			bytes.Contains(text, []byte("INDEX")) {
			t.Errorf("the migrations lack:\n%s", text)
		}
	})
}

func TestMigrateAtOnce(t *testing.T) {
	databasetest.EachEmpty(t, func(t *testing.T, db *sql.DB, name string) {
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

// oldMigrations applies the old migrations, which the current first one replaces, up to a version.
func oldMigrations(t *testing.T, db *sql.DB, name string, version int64) {
	t.Helper()
	f, err := os.Open("testdata/migrations-20261128222800.tar.gz")
	must(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	must(t, err)
	folder, kind := "sqlite/", goose.DialectSQLite3
	if name == dialect.Postgres {
		folder, kind = "postgres/", goose.DialectPostgres
	}
	files := fstest.MapFS{}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		if file, ok := strings.CutPrefix(h.Name, folder); ok {
			text, err := io.ReadAll(archive)
			must(t, err)
			files[file] = &fstest.MapFile{Data: text}
		}
	}
	p, err := goose.NewProvider(kind, db, files)
	must(t, err)
	_, err = p.UpTo(t.Context(), version)
	must(t, err)
}

// described returns the schema of a database, one object per line.
func described(t *testing.T, db *sql.DB, name string) []string {
	t.Helper()
	queries := []string{
		"SELECT 'column ' || m.name || ' ' || c.cid || ' ' || c.name || ' ' || c.type || ' ' || c.\"notnull\" || ' " +
			"' || coalesce(c.dflt_value, '') || ' ' || c.pk || ' ' || c.hidden FROM sqlite_master m, " +
			"pragma_table_xinfo(m.name) c WHERE m.type IN ('table', 'view')",
		"SELECT type || ' ' || name || ' ' || sql FROM sqlite_master WHERE type IN ('index', 'trigger', 'view') AND " +
			"sql IS NOT NULL",
		"SELECT 'reference ' || m.name || ' ' || f.\"from\" || ' ' || f.\"table\" || ' ' || f.\"to\" || ' ' || " +
			"f.on_delete FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'",
		"SELECT 'virtual ' || sql FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'",
	}
	if name == dialect.Postgres {
		const ours = "relnamespace = current_schema()::regnamespace"
		queries = []string{
			"SELECT concat_ws(' ', 'column', relname, relkind, relpersistence, reloptions, row_number() OVER " +
				"(PARTITION BY attrelid ORDER BY attnum), attname, format_type(atttypid, atttypmod), attnotnull, " +
				"attidentity, attgenerated, pg_get_expr(adbin, adrelid)) FROM pg_class c JOIN pg_attribute a ON " +
				"attrelid = c.oid AND attnum > 0 AND NOT attisdropped LEFT JOIN pg_attrdef ON adrelid = c.oid AND " +
				"adnum = attnum WHERE relkind IN ('r', 'v', 'S') AND " + ours,
			"SELECT 'view ' || relname || pg_get_viewdef(oid) FROM pg_class WHERE relkind = 'v' AND " + ours,
			"SELECT 'index ' || pg_get_indexdef(oid) FROM pg_class WHERE relkind = 'i' AND " + ours,
			"SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM " +
				"pg_constraint WHERE connamespace = current_schema()::regnamespace",
			"SELECT 'trigger ' || pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid " +
				"WHERE NOT tgisinternal AND " + ours,
			"SELECT 'function ' || pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = " +
				"current_schema()::regnamespace",
		}
	}
	var list []string
	for _, q := range queries {
		rows, err := db.Query(q)
		must(t, err)
		defer rows.Close()
		for rows.Next() {
			var line string
			must(t, rows.Scan(&line))
			list = append(list, strings.Join(strings.Fields(line), " "))
		}
		must(t, rows.Err())
	}
	slices.Sort(list)
	return list
}

// TestMigrationsContinue migrates a database that the old migrations brought to the version of the current first one.
// It must keep its rows, and have the schema of a new database.
func TestMigrationsContinue(t *testing.T) {
	databasetest.EachEmpty(t, func(t *testing.T, db *sql.DB, name string) {
		oldMigrations(t, db, name, 20261128222800)
		key := map[string]string{dialect.SQLite: "X'41'", dialect.Postgres: "'A'"}[name]
		for _, statement := range []string{
			// Databases of the old migrations keep these two, which nothing uses any more.
			"DROP INDEX entry_without_colors",
			"DROP INDEX entry_unplaced",
			"INSERT INTO entries (id, path, parent_id, name, name_key, kind) VALUES (1, '', 0, '', " + key + ", 0)",
			"INSERT INTO entries (id, path, parent_id, name, name_key, kind, type, words) VALUES (2, 'a.png', 1, " +
				"'a.png', " + key + ", 1, 'png', 'a png')",
			"INSERT INTO entries (id, path, parent_id, name, name_key, kind, meta_state) VALUES (3, " +
				"'b.Template.JSON', 1, 'b.Template.JSON', " + key + ", 1, 3)",
			"INSERT INTO taggings (entry_id, key, name) VALUES (2, 'sea', 'Sea')",
		} {
			_, err := db.Exec(statement)
			must(t, err)
		}
		must(t, database.Migrate(t.Context(), db, name))
		for query, want := range map[string]int{
			"SELECT count(*) FROM entries e JOIN taggings t ON t.entry_id = e.id WHERE words = 'a png'": 1,
			"SELECT sum(n) FROM entry_counts WHERE parent_id = 1":                                       2,
			"SELECT sum(n) FROM entry_counts WHERE class = 1":                                           1,
			"SELECT count(*) FROM (SELECT parent_id, kind, hidden, class, type, n FROM entry_counts EXCEPT SELECT * " +
				"FROM entry_counts_now) AS wrong": 0,
		} {
			var got int
			must(t, db.QueryRow(query).Scan(&got))
			if got != want {
				t.Errorf("%s: %d, expected %d", query, got, want)
			}
		}
		other := databasetest.EmptySQLite(t)
		if name == dialect.Postgres {
			var err error
			other, err = sql.Open(name, databasetest.EmptyPostgres(t))
			must(t, err)
			defer other.Close()
		}
		must(t, database.Migrate(t.Context(), other, name))
		have, want := described(t, db, name), described(t, other, name)
		if len(want) < 100 {
			t.Fatalf("%d objects", len(want))
		}
		for _, line := range have {
			if !slices.Contains(want, line) {
				t.Errorf("only a migrated database has: %s", line)
			}
		}
		for _, line := range want {
			if !slices.Contains(have, line) {
				t.Errorf("only a new database has: %s", line)
			}
		}
	})
}

// TestOlderDatabase checks that a database from before the first migration is rejected and not changed.
func TestOlderDatabase(t *testing.T) {
	databasetest.EachEmpty(t, func(t *testing.T, db *sql.DB, name string) {
		oldMigrations(t, db, name, 20261127083200)
		before := described(t, db, name)
		err := database.Migrate(t.Context(), db, name)
		if err == nil || !strings.Contains(err.Error(), "the version 20261127083200, older than 20261128222800") ||
			!strings.Contains(err.Error(), "start Safelight of the commit") {
			t.Errorf("%v", err)
		}
		if !slices.Equal(before, described(t, db, name)) {
			t.Error("the schema has changed")
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
