package database_test

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
)

// TestInsert writes values that must be quoted in arrays, and reads them back.
func TestInsert(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		exec := func(query string, args ...any) {
			t.Helper()
			if _, err := db.Exec(query, args...); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		}
		blob := "BLOB"
		if name == "postgres" {
			blob = "bytea"
		}
		exec(
			"CREATE TABLE pieces (key bigint PRIMARY KEY, text text, bytes " + blob +
				", small smallint, yes boolean, number double precision)",
		)
		columns := []database.Column{
			{"key", "bigint"},
			{"text", "text"},
			{"bytes", "bytea"},
			{"small", "smallint"},
			{"yes", "boolean"},
			{"number", "double precision"},
		}
		texts := []string{
			"",
			" ",
			`a"b`,
			`back\slash\\`,
			"{1,2}",
			"NULL",
			"null",
			"a,b",
			"é 漢 😀\n\t",
			`["x","\"y\""]`,
			"'; --",
		}
		var rows [][]any
		for i, text := range texts {
			rows = append(
				rows,
				[]any{int64(i), text, append([]byte{0, 0xFF, '"'}, text...), int8(-i), i%2 == 0, float64(i) / 3},
			)
		}
		rows = append(rows, []any{int64(-1) << 63, nil, nil, int8(127), false, nil})
		insert := func(rows [][]any) {
			t.Helper()
			statement, args := database.InsertRows(
				name, "pieces", columns, rows, "ON CONFLICT (key) DO UPDATE SET small = excluded.small",
			)
			exec(statement, args...)
		}
		insert(rows)
		for i, text := range texts {
			var got [5]any
			var one string
			var bytes []byte
			if err := db.QueryRow(fmt.Sprintf("SELECT text, bytes, small, yes, number FROM pieces WHERE key = %d", i)).
				Scan(&one, &bytes, &got[0], &got[1], &got[2]); err != nil {
				t.Fatal(err)
			}
			if one != text || string(bytes) != "\x00\xFF\""+text || got[0] != int64(-i) || got[1] != (i%2 == 0) ||
				got[2] != float64(i)/3 {
				t.Errorf("%q comes back as %q, %q, %v", text, one, bytes, got)
			}
		}
		insert([][]any{{int64(3), "other", nil, int8(9), true, nil}})
		var text string
		var small, nulls int
		if err := db.QueryRow("SELECT text, small, (SELECT count(*) FROM pieces WHERE text IS NULL AND bytes IS "+
			"NULL AND number IS NULL) FROM pieces WHERE key = 3").Scan(&text, &small, &nulls); err != nil {
			t.Fatal(err)
		}
		if text != texts[3] || small != 9 || nulls != 1 {
			t.Errorf("after a conflict: %q, %d; %d rows of NULL, expected 1", text, small, nulls)
		}
	})
}
