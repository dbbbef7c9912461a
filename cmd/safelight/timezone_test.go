package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
)

// TestServerInLosAngeles runs the program under another zone than UTC: every time in its database is in UTC.
func TestServerInLosAngeles(t *testing.T) {
	t.Setenv("TZ", "America/Los_Angeles")
	data := t.TempDir()
	s := startReal(t, "--data", data)
	if r := s.post("/api/auth/logout", "", s.login()); r.status != 204 {
		t.Fatalf("logout: %d %s", r.status, r.body)
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(data, "safelight.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	columns, err := db.Query(
		"SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND " +
			"lower(p.type) = 'datetime'",
	)
	if err != nil {
		t.Fatal(err)
	}
	defer columns.Close()
	found := 0
	for columns.Next() {
		var table, column string
		if err := columns.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		var total, utc int
		query := fmt.Sprintf(
			"SELECT count(%[1]s), count(CASE WHEN CAST(%[1]s AS text) LIKE '%%+00:00' THEN 1 END) FROM %[2]s",
			column, table,
		)
		if err := db.QueryRow(query).Scan(&total, &utc); err != nil {
			t.Fatal(err)
		}
		if found += total; utc != total {
			t.Errorf("%s.%s: %d of %d times are not in UTC", table, column, total-utc, total)
		}
	}
	if found < 5 {
		t.Errorf("%d times found, expected more", found)
	}
}
