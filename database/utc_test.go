package database_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/revokedtoken"
)

// night returns times of the night when daylight saving time ends in Los Angeles, in that zone and in
// chronological order. By local time, the third one is before the first.
func night(t *testing.T) []time.Time {
	t.Helper()
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Skipf("no time zones: %v", err)
	}
	start := time.Date(2026, 11, 1, 8, 30, 0, 123456000, time.UTC).In(zone) // 1:30 in summer time
	if start.Hour() != 1 || start.Add(time.Hour).Hour() != 1 {
		t.Fatalf("the clocks do not go back at %v", start)
	}
	return []time.Time{
		start,
		start.Add(20 * time.Minute),
		start.Add(40 * time.Minute),
		start.Add(60 * time.Minute),
		start.Add(2 * time.Hour),
	}
}

// TestTimesInUTC stores times of a local zone in all ways, and compares them.
func TestTimesInUTC(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		db, times := database.New(pool, name), night(t)
		for i, at := range times {
			must(t, db.Transact(t.Context(), func(tx *ent.Tx) error {
				return tx.RevokedToken.Create().SetID(fmt.Sprint(i)).SetExpiresAt(at).Exec(t.Context())
			}))
		}
		for i, at := range times {
			for _, at := range []time.Time{at, at.UTC()} {
				n, err := db.RevokedToken.Query().Where(revokedtoken.ExpiresAtLT(at)).Count(t.Context())
				must(t, err)
				if n != i {
					t.Errorf("%d times are before %v, expected %d", n, at, i)
				}
			}
		}
		must(t, db.RevokedToken.Update().SetExpiresAt(times[0]).Exec(t.Context()))
		mark := "?"
		if name == dialect.Postgres {
			mark = "$1"
		}
		_, err := db.ExecContext(
			t.Context(), "UPDATE revoked_tokens SET expires_at = "+mark+" WHERE id = '1'", times[1],
		)
		must(t, err)
		must(t, db.Transact(t.Context(), func(tx *ent.Tx) error {
			_, err := tx.ExecContext(
				t.Context(), "UPDATE revoked_tokens SET expires_at = "+mark+" WHERE id = '2'", &times[2],
			)
			return err
		}))
		onlyUTC(t, pool, name, "revoked_tokens", "expires_at")
		back, err := db.RevokedToken.Get(t.Context(), "2")
		must(t, err)
		if !back.ExpiresAt.Equal(times[2]) {
			t.Errorf("%v became %v", times[2], back.ExpiresAt)
		}
	})
}

// onlyUTC checks that SQLite stores a column in UTC.
func onlyUTC(t *testing.T, pool *sql.DB, name, table, column string) {
	t.Helper()
	if name == dialect.Postgres {
		return
	}
	rows, err := pool.Query("SELECT CAST(" + column + " AS text) FROM " + table + " WHERE " + column + " IS NOT NULL")
	must(t, err)
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var text string
		must(t, rows.Scan(&text))
		if !strings.HasSuffix(text, "+00:00") {
			t.Errorf("%s.%s holds %s", table, column, text)
		}
	}
	if n == 0 {
		t.Errorf("%s.%s holds no time", table, column)
	}
}
