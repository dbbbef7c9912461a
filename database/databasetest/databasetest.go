// Package databasetest opens databases for tests: SQLite always, PostgreSQL if a server is configured.
package databasetest

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	_ "github.com/lib/pq"           // the driver postgres
	_ "github.com/mattn/go-sqlite3" // the driver sqlite3
)

// PostgresVariable names a server on which tests may create databases.
const PostgresVariable = "SAFELIGHT_TEST_POSTGRES"

// Each runs a test on an empty SQLite database and, if PostgresVariable is set, on an empty PostgreSQL database. name is
// ent's name of the dialect.
func Each(t *testing.T, test func(t *testing.T, db *sql.DB, name string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t), dialect.SQLite) })
	t.Run("postgres", func(t *testing.T) {
		address := os.Getenv(PostgresVariable)
		if address == "" {
			t.Skip(PostgresVariable + " names no server: make test starts one and sets it")
		}
		test(t, postgres(t, address), dialect.Postgres)
	})
}

// SQLite returns an empty database that is closed when the test ends.
func SQLite(t *testing.T) *sql.DB {
	t.Helper()
	file := &url.URL{Path: filepath.Join(t.TempDir(), "db")} // the name of the second test of a name holds a #
	db, err := sql.Open("sqlite3", "file:"+file.EscapedPath()+"?_fk=1&_journal_mode=WAL&_busy_timeout=60000&_synchronous=OFF&_txlock=immediate")
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func postgres(t *testing.T, address string) *sql.DB {
	t.Helper()
	admin, err := sql.Open("postgres", address)
	must(t, err)
	name := "test_" + strings.ToLower(rand.Text())
	_, err = admin.Exec("CREATE DATABASE " + name)
	must(t, err)
	u, err := url.Parse(address)
	must(t, err)
	u.Path = "/" + name
	db, err := sql.Open("postgres", u.String())
	must(t, err)
	db.SetMaxIdleConns(40) // like a server: a new PostgreSQL connection costs more than a query
	t.Cleanup(func() {
		db.Close()
		_, err := admin.Exec("DROP DATABASE " + name)
		if err != nil {
			t.Error(err)
		}
		admin.Close()
	})
	return db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
