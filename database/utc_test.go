package database_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/google/uuid"
	"github.com/pressly/goose/v3"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/auditevent"
	"github.com/safelight/safelight/ent/migrations"
	"github.com/safelight/safelight/ent/revokedtoken"
)

// night returns times of the night in which the clocks of Los Angeles go back, in that zone and in the order in which they
// pass: by the clock the third is before the first.
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
	return []time.Time{start, start.Add(20 * time.Minute), start.Add(40 * time.Minute), start.Add(60 * time.Minute), start.Add(2 * time.Hour)}
}

// TestTimesInUTC stores times of a local zone in every way, and compares them.
func TestTimesInUTC(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), pool, name))
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
		_, err := db.ExecContext(t.Context(), "UPDATE revoked_tokens SET expires_at = "+mark+" WHERE id = '1'", times[1])
		must(t, err)
		must(t, db.Transact(t.Context(), func(tx *ent.Tx) error {
			_, err := tx.ExecContext(t.Context(), "UPDATE revoked_tokens SET expires_at = "+mark+" WHERE id = '2'", &times[2])
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

// onlyUTC holds that SQLite stores a column in UTC.
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

// TestOldTimesBecomeUTC migrates rows that a server in Los Angeles has stored.
func TestOldTimesBecomeUTC(t *testing.T) {
	pool := databasetest.SQLite(t)
	must(t, database.Migrate(t.Context(), pool, dialect.SQLite))
	times := night(t)
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := pool.ExecContext(context.Background(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for i, at := range times {
		exec("INSERT INTO audit_events (at, action) VALUES (?, ?)", at, fmt.Sprint("a", i))
		exec("INSERT INTO revoked_tokens (id, expires_at) VALUES (?, ?)", fmt.Sprint(i), at.Truncate(time.Second))
		exec("INSERT INTO users (id, display_name, username, username_key, password_hash, created_at, updated_at, last_login_at) VALUES (?, 'x', ?, ?, '', ?, ?, NULL)",
			uuid.New(), fmt.Sprint(i), fmt.Sprint(i), at, at.UTC())
	}
	exec("DELETE FROM goose_db_version WHERE version_id = 20261122000500")
	files, err := fs.Sub(migrations.Files, "sqlite")
	must(t, err)
	again, err := goose.NewProvider(goose.DialectSQLite3, pool, files, goose.WithAllowOutofOrder(true))
	must(t, err)
	_, err = again.Up(t.Context())
	must(t, err)
	onlyUTC(t, pool, dialect.SQLite, "audit_events", "at")
	onlyUTC(t, pool, dialect.SQLite, "revoked_tokens", "expires_at")
	onlyUTC(t, pool, dialect.SQLite, "users", "created_at")
	onlyUTC(t, pool, dialect.SQLite, "users", "updated_at")
	db := database.New(pool, dialect.SQLite)
	events, err := db.AuditEvent.Query().Order(auditevent.ByAt()).All(t.Context())
	must(t, err)
	for i, e := range events {
		if !e.At.Equal(times[i]) {
			t.Errorf("event %d is at %v, expected %v", i, e.At, times[i])
		}
	}
	if _, err := pool.Exec("UPDATE audit_events SET action = 'x'"); err == nil {
		t.Error("the audit log can be changed after the migration")
	}
}
