package moves

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/migrate"
	"github.com/safelight/safelight/fault"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// postgresEnd returns an empty PostgreSQL database.
func postgresEnd(t *testing.T) End {
	t.Helper()
	address := databasetest.EmptyPostgres(t)
	return End{Postgres: address, Place: address[strings.LastIndex(address, "/"):]}
}

func fileEnd(t *testing.T) End {
	file := filepath.Join(t.TempDir(), "safelight.db")
	return End{File: file, Place: file}
}

// opened opens an end. create creates the SQLite file and the tables.
func opened(t *testing.T, e End, create bool) Database {
	t.Helper()
	pragmas := readPragmas
	if create {
		pragmas = "mode=rwc&_fk=1&_journal_mode=WAL&_busy_timeout=60000&_synchronous=OFF&_txlock=immediate"
	}
	d, err := e.open(t.Context(), e.File, pragmas)
	must(t, err)
	t.Cleanup(func() { d.DB.Close() })
	if create {
		must(t, database.Migrate(t.Context(), d.DB, d.Dialect))
	}
	return d
}

// leftOut contains the tables that are not copied, and the reasons.
var leftOut = map[string]string{
	"goose_db_version": "the migrations of the new database write it",
	"sqlite_sequence":  "its numbers are set one by one",
	"notices":          "what running servers tell each other",
	"leases":           "what running servers do",
	"database_move":    "of the move itself",
	"entry_counts":     "triggers of the new database count, and SQLite's are counted at the end",
	"entry_counts_now": "a view",
	"rights_version":   "triggers of the new database count",
}

// isLeftOut also returns true for the tables of SQLite's full-text indexes, which are created again, and of
// its planner.
func isLeftOut(name string) bool {
	_, known := leftOut[name]
	index := name == "entry_words" || strings.HasPrefix(name, "entry_words_") ||
		name == "entry_colors" || strings.HasPrefix(name, "entry_colors_")
	return known || index || strings.HasPrefix(name, "sqlite_stat")
}

// TestEveryTable checks that each table and column of either database is copied or listed in leftOut.
func TestEveryTable(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		query := "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
		if name == dialect.Postgres {
			query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = " +
				"current_schema()"
		}
		tx, err := db.Begin()
		must(t, err)
		defer tx.Rollback()
		list, err := texts(t.Context(), tx, query)
		must(t, err)
		want := map[string]bool{}
		for _, table := range tables() {
			for _, c := range table.Columns {
				want[table.Name+"."+c.Name] = true
			}
		}
		if len(want) < 100 {
			t.Fatalf("%d columns are known", len(want))
		}
		for i := 0; i < len(list); i += 2 {
			if isLeftOut(list[i]) {
				continue
			}
			column := list[i] + "." + list[i+1]
			if !want[column] {
				t.Errorf("%s is neither copied nor left out", column)
			}
			delete(want, column)
		}
		for column := range want {
			t.Errorf("%s is not in the database", column)
		}
	})
}

// id returns the UUID of row i.
func id(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

// sample returns a value for a column in row i. It covers values that are stored differently.
func sample(c *schema.Column, i int) any {
	if c.Nullable && i%3 == 1 {
		return nil
	}
	if c.Name == "words" { // PostgreSQL's index does not accept an empty word
		return fmt.Sprintf("%d return", i)
	}
	switch c.Type {
	case field.TypeBool:
		return i%2 == 0
	case field.TypeTime:
		return time.Date(2026, 2, 28+i%3, 23, 59, 59, []int{0, 123456000, 999999000}[i%3],
			[]*time.Location{time.UTC, time.FixedZone("", 5400)}[i%2]).
			UTC()
	case field.TypeFloat64:
		return []float64{0, -0.4, 1.0 / 3, 1e-300, 123456789.125}[i%5]
	case field.TypeBytes:
		return [][]byte{{}, {0, 1, 255}, []byte(`a\b'"`), {'\\', 'x', '0'}}[i%4]
	case field.TypeJSON:
		return []byte(
			[]string{`[]`, `["a \u003c b","\\","ü"]`, `{"a":[1.5,true,null,-9007199254740993],"b":1,"c":1e+30}`,
				`null`}[i%4],
		)
	case field.TypeUUID:
		return id(i)
	case field.TypeEnum:
		return c.Enums[i%len(c.Enums)]
	case field.TypeInt8:
		return int64(i%256 - 128)
	case field.TypeString:
		return fmt.Sprintf("%d %s", i, []string{"", "tab\tline\nreturn\rback\\slash \\N", "ünï — 🌅", `'"` + "`"}[i%4])
	}
	return int64(i) * []int64{1, -1, 1 << 40}[i%3]
}

// filled writes rows to all tables of an empty SQLite database, and deletes the last row of tables with
// numbers.
func filled(t *testing.T, d Database, rows int) {
	t.Helper()
	for k, table := range inOrder(migrate.Tables) {
		tx, err := d.DB.Begin()
		must(t, err)
		_, err = tx.Exec("DELETE FROM " + quoted(table.Name)) // inserted by a migration
		must(t, err)
		w, err := (&sqliteWriter{tx: tx}).rows(t.Context(), tables()[k])
		must(t, err)
		for i := range rows + 1 {
			row := make([]any, len(table.Columns))
			for k, c := range table.Columns {
				row[k] = sample(c, i)
				if c == table.PrimaryKey[0] && c.Type.Numeric() {
					row[k] = int64(i + 1)
				}
			}
			must(t, w.add(t.Context(), row))
		}
		must(t, w.close(t.Context(), true))
		must(t, tx.Commit())
		if table.PrimaryKey[0].Increment && table.Name != "audit_events" {
			_, err := d.DB.Exec("DELETE FROM "+quoted(table.Name)+" WHERE id = ?", rows+1)
			must(t, err)
		}
	}
}

// contents returns every value of a SQLite database with its type, as SQLite shows it.
func contents(t *testing.T, d Database) []string {
	t.Helper()
	tx, err := d.DB.Begin()
	must(t, err)
	defer tx.Rollback()
	list, err := texts(
		t.Context(), tx,
		"SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE '%\\_move' "+
			"ESCAPE '\\' AND name NOT LIKE 'moving\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite_stat%' ORDER BY 1",
	)
	must(t, err)
	for _, table := range tables() {
		var parts []string
		for _, c := range table.Columns {
			parts = append(parts, "typeof("+quoted(c.Name)+") || quote("+quoted(c.Name)+")")
		}
		rows, err := texts(
			t.Context(),
			tx,
			"SELECT "+strings.Join(parts, " || ' ' || ")+" FROM "+quoted(table.Name)+" ORDER BY "+
				quoted(table.Columns[0].Name),
		)
		must(t, err)
		list = append(append(list, table.Name), rows...)
	}
	numbers, err := texts(
		t.Context(), tx,
		"SELECT name || seq FROM sqlite_sequence WHERE name IN (SELECT name FROM sqlite_master) AND name NOT LIKE "+
			"'goose%' ORDER BY 1",
	)
	must(t, err)
	return append(list, numbers...)
}

func ignore(string, int64, bool) {}

// TestThereAndBack moves every kind of value to PostgreSQL and back. The databases must be equal.
func TestThereAndBack(t *testing.T) {
	there, first, last := postgresEnd(t), fileEnd(t), fileEnd(t)
	old := opened(t, first, true)
	const rows = 50
	filled(t, old, rows)
	want := contents(t, old)
	copied, err := Run(t.Context(), first, there, ignore)
	must(t, err)
	if len(copied) != len(tables()) {
		t.Errorf("%d tables", len(copied))
	}
	postgres := opened(t, there, false)
	must(t, Check(t.Context(), postgres))
	if err := Check(t.Context(), old); err == nil || !strings.Contains(err.Error(), "was moved to "+there.Place) {
		t.Errorf("a start on the old database: %v", err)
	}
	var number int
	must(
		t,
		postgres.DB.QueryRow("INSERT INTO taggings (entry_id, key, name) VALUES (1, 'a new one', '') RETURNING id").
			Scan(&number),
	)
	if number != rows+2 {
		t.Errorf("the next number is %d, expected %d, which no deleted row had", number, rows+2)
	}
	_, err = postgres.DB.Exec("DELETE FROM taggings WHERE key = 'a new one'")
	must(t, err)
	_, err = Run(t.Context(), there, last, ignore)
	must(t, err)
	back := opened(t, last, false)
	must(t, Check(t.Context(), back))
	got := contents(t, back)
	for i := range want {
		want[i] = strings.Replace(want[i], "taggings51", "taggings52", 1) // the number that was assigned in PostgreSQL
	}
	if !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("differs:\n%s\nexpected\n%s", got[i], want[i])
			}
		}
		t.Fatalf("%d values, expected %d", len(got), len(want))
	}
	var found int
	must(t, back.DB.QueryRow("SELECT count(*) FROM entry_words WHERE entry_words MATCH 'return'").Scan(&found))
	if found == 0 {
		t.Error("a search finds nothing")
	}
	must(t, back.DB.QueryRow("SELECT (SELECT sum(n) FROM entry_counts) - (SELECT count(*) FROM entries)").Scan(&found))
	if found != 0 {
		t.Errorf("entry_counts counts %d more than there are", found)
	}
}

// TestNoChanges checks that servers can read a database while it is moved, and get UNAVAILABLE for changes of
// any table.
func TestNoChanges(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		d, server := Database{pool, name, "here"}, database.New(pool, name)
		add := func(token string) error {
			return server.Transact(t.Context(), func(tx *ent.Tx) error {
				return tx.RevokedToken.Create().SetID(token).SetExpiresAt(time.Now()).Exec(t.Context())
			})
		}
		must(t, add("before"))
		id, err := Begin(t.Context(), d, "there")
		must(t, err)
		if again, err := Begin(t.Context(), d, "there"); err != nil || again != id {
			t.Errorf("a second begin: %q, %v; expected %q", again, err, id)
		}
		if f := fault.Of(add("during")); f == nil || f.Code != fault.Unavailable || f.RetryAfter <= 0 ||
			!strings.Contains(f.Message, "moved") {
			t.Errorf("a change: %v", f)
		}
		for _, table := range tables() {
			for _, statement := range []string{"DELETE FROM " + quoted(table.Name),
				"INSERT INTO " + quoted(table.Name) + " (id) SELECT id FROM revoked_tokens"} {
				_, err := pool.Exec(statement)
				if table.Name == "revoked_tokens" && (err == nil || !strings.Contains(err.Error(), "moved")) {
					t.Errorf("%s: %v", statement, err)
				}
				if err == nil && strings.HasPrefix(statement, "INSERT") {
					t.Errorf("%s was allowed", statement)
				}
			}
		}
		if n, err := server.RevokedToken.Query().Count(t.Context()); n != 1 || err != nil {
			t.Errorf("reading: %d, %v", n, err)
		}
		if err := Check(t.Context(), d); err == nil {
			t.Error("a server may start during the move")
		}
		must(t, Cancel(t.Context(), d))
		must(t, add("after"))
		must(t, Check(t.Context(), d))
		if err := Cancel(t.Context(), d); err == nil {
			t.Error("canceled twice")
		}
	})
}

// TestInterrupted interrupts moves. The target must not be usable, and the next run must complete the move.
func TestInterrupted(t *testing.T) {
	for _, direction := range []string{"to PostgreSQL", "to SQLite"} {
		t.Run(direction, func(t *testing.T) {
			from, to := fileEnd(t), postgresEnd(t)
			filled(t, opened(t, from, true), 5)
			if direction == "to SQLite" {
				_, err := Run(t.Context(), from, to, ignore)
				must(t, err)
				from, to = to, fileEnd(t)
			}
			source := opened(t, from, false)
			want, err := Digest(t.Context(), source)
			must(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			_, err = Run(ctx, from, to, func(table string, _ int64, _ bool) {
				if table == "entries" {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("interrupted: %v", err)
			}
			if to.File != "" {
				if left, _ := os.ReadDir(filepath.Dir(to.File)); len(left) > 0 {
					t.Errorf("it leaves %v", left)
				}
			} else if err := Check(t.Context(), opened(t, to, false)); err == nil ||
				!strings.Contains(err.Error(), "incomplete") {
				t.Errorf("a start on the half of it: %v", err)
			}
			_, err = Run(t.Context(), from, to, ignore)
			must(t, err)
			got, err := Digest(t.Context(), opened(t, to, false))
			must(t, err)
			if !slices.Equal(got, want) {
				t.Errorf("%v, expected %v", got, want)
			}
		})
	}
}

// TestFinishedByTheNextRun interrupts a move between the copy and the last mark of the source.
func TestFinishedByTheNextRun(t *testing.T) {
	for _, to := range []End{fileEnd(t), postgresEnd(t)} {
		from := fileEnd(t)
		filled(t, opened(t, from, true), 2)
		source := opened(t, from, false)
		id, err := Begin(t.Context(), source, to.Place)
		must(t, err)
		_, err = to.receive(t.Context(), source, id, ignore)
		must(t, err)
		list, err := Run(t.Context(), from, to, ignore)
		if err != nil || list != nil {
			t.Errorf("%s: %v, %v; expected no second copy", to.Place, list, err)
		}
		if err := Check(t.Context(), source); err == nil || !strings.Contains(err.Error(), "was moved") {
			t.Errorf("%s: the source: %v", to.Place, err)
		}
	}
}

// TestRefused checks which moves are rejected, and that nothing is changed.
func TestRefused(t *testing.T) {
	from := fileEnd(t)
	filled(t, opened(t, from, true), 2)
	full := fileEnd(t)
	opened(t, full, true)
	fullPostgres := postgresEnd(t)
	opened(t, fullPostgres, true)
	text := fileEnd(t)
	broken := opened(t, text, true)
	_, err := broken.DB.Exec(
		"INSERT INTO revoked_tokens (id, expires_at) VALUES (CAST(x'ff41' AS TEXT), '2026-01-01 00:00:00+00:00')",
	)
	must(t, err)
	empty := fileEnd(t)
	must(t, os.WriteFile(empty.File, nil, 0o600))
	older := fileEnd(t)
	_, err = opened(
		t, older, true,
	).DB.Exec(
		"DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)",
	)
	must(t, err)
	for _, c := range []struct {
		from, to End
		want     string
	}{
		{from, from, "itself"}, {from, full, "exists"}, {from, fullPostgres, "not empty"},
		{empty, fileEnd(t), "nothing to move"}, {older, fileEnd(t), "older version"},
		{fileEnd(t), postgresEnd(t), "unable to open"}, {text, postgresEnd(t), "column id: the text \"\\xffA\""},
	} {
		if _, err := Run(t.Context(), c.from, c.to, ignore); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, expected %q", c.from.Place, c.to.Place, err, c.want)
		}
	}
	busy := postgresEnd(t)
	release, err := lock(t.Context(), opened(t, busy, false))
	must(t, err)
	defer release()
	if _, err := Run(t.Context(), from, busy, ignore); err == nil || !strings.Contains(err.Error(), "another move") {
		t.Errorf("two moves at once: %v", err)
	}
}

// TestWrongTarget: a move to a database that cannot be used leaves the old one writable.
func TestWrongTarget(t *testing.T) {
	from, full := fileEnd(t), fileEnd(t)
	opened(t, full, true)
	under := fileEnd(t)
	under.File = filepath.Join(full.File, "x.db")
	used := postgresEnd(t)
	opened(t, used, true)
	source := opened(t, from, true)
	filled(t, source, 1)
	for name, to := range map[string]End{
		"no server":    {Postgres: "postgres://u@127.0.0.1:1/x?sslmode=disable", Place: "nowhere"},
		"not empty":    used,
		"a file":       full,
		"not a folder": under,
	} {
		if _, err := Run(t.Context(), from, to, ignore); err == nil {
			t.Errorf("%s: the move ends without an error", name)
		}
		if err := Check(t.Context(), source); err != nil {
			t.Errorf("%s: the old database is blocked: %v", name, err)
		}
	}
}

// TestContinuedTarget: a run that continues a move checks its folder, too, and makes it if it is gone.
func TestContinuedTarget(t *testing.T) {
	from, to := fileEnd(t), fileEnd(t)
	to.File = filepath.Join(filepath.Dir(to.File), "gone", "new.db")
	source := opened(t, from, true)
	filled(t, source, 1)
	_, err := Begin(t.Context(), source, to.Place)
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(to.File), 0o700))
	must(t, os.WriteFile(to.File+"-wal", []byte("of another database"), 0o600))
	if _, err := Run(t.Context(), from, to, ignore); err == nil || !strings.Contains(err.Error(), "-wal") {
		t.Errorf("beside a journal: %v", err)
	}
	must(t, os.RemoveAll(filepath.Dir(to.File)))
	_, err = Run(t.Context(), from, to, ignore)
	must(t, err)
}

// TestSumSeesEveryValue changes one value at a time.
func TestSumSeesEveryValue(t *testing.T) {
	from := fileEnd(t)
	d := opened(t, from, true)
	filled(t, d, 4)
	before, err := Digest(t.Context(), d)
	must(t, err)
	for _, change := range []string{
		"UPDATE entries SET favorite = NOT favorite WHERE id = 1", "UPDATE entries SET name_key = x'01' WHERE id = 1",
		"UPDATE entries SET taken = NULL WHERE id = 1", "UPDATE users SET password_hash = '' WHERE id LIKE '%1'",
		"UPDATE entries SET tags = NULL WHERE id = 1", "UPDATE entries SET focal_x = 0.25 WHERE id = 1",
		"UPDATE users SET created_at = '2026-01-01 00:00:00.000001+00:00' WHERE id LIKE '%1'",
		"DELETE FROM taggings WHERE id = 1",
	} {
		_, err := d.DB.Exec(change)
		must(t, err)
		after, err := Digest(t.Context(), d)
		must(t, err)
		if slices.Equal(before, after) {
			t.Errorf("%s changes no checksum", change)
		}
		before = after
	}
}
