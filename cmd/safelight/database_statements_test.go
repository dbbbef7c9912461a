package main

import (
	"database/sql"
	"reflect"
	"testing"
)

// TestStatementsAreKept looks into a connection to SQLite: a statement that was run stays prepared.
func TestStatementsAreKept(t *testing.T) {
	db, _, err := openDatabase(t.Context(), &Settings{Data: t.TempDir()})
	must(t, err)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	for _, statement := range []string{"CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)",
		"INSERT INTO t VALUES (1)", "ALTER TABLE t ADD COLUMN m INTEGER DEFAULT 7"} {
		_, err := conn.ExecContext(t.Context(), statement)
		must(t, err)
	}
	must(t, conn.Raw(func(c any) error {
		if kept := reflect.ValueOf(c).Elem().FieldByName("stmtCache").Len(); kept < 2 {
			t.Errorf("%d statements are kept, expected those that were run", kept)
		}
		return nil
	}))
	var sum sql.NullInt64
	must(t, conn.QueryRowContext(t.Context(), "SELECT sum(m) FROM t").Scan(&sum))
	_, err = conn.ExecContext(t.Context(), "ALTER TABLE t DROP COLUMN n")
	must(t, err)
	// kept since the table had one column of another name
	_, err = conn.ExecContext(t.Context(), "INSERT INTO t VALUES (1)")
	must(t, err)
	must(t, conn.QueryRowContext(t.Context(), "SELECT sum(m) FROM t").Scan(&sum))
	if sum.Int64 != 15 {
		t.Errorf("the sum is %d after the table was changed, expected 15", sum.Int64)
	}
}
