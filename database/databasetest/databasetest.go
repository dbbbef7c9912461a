// Package databasetest opens databases for tests: SQLite always, PostgreSQL if a server is configured.
package databasetest

import (
	"context"
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

// Each runs a test on an empty SQLite database and, if PostgresVariable is set, on an empty PostgreSQL database. name
// is ent's name of the dialect.
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
	db, err := sql.Open(
		"sqlite3",
		"file:"+file.EscapedPath()+"?_fk=1&_journal_mode=WAL&_busy_timeout=60000&_synchronous=OFF&_txlock=immediate&_stmt_cache_size=64",
	)
	must(t, err)
	db.SetMaxOpenConns(20) // like a server
	t.Cleanup(func() { db.Close() })
	return db
}

// EmptyPostgres returns the URL of an empty PostgreSQL database, which goes with its server. It skips the test if
// PostgresVariable is not set.
func EmptyPostgres(t *testing.T) string {
	t.Helper()
	if os.Getenv(PostgresVariable) == "" {
		t.Skip(PostgresVariable + " names no server: make test starts one and sets it")
	}
	address, _, err := CreatePostgres()
	must(t, err)
	return address
}

// CreatePostgres creates an empty database on the server that PostgresVariable names.
func CreatePostgres() (address, name string, err error) {
	u, err := url.Parse(os.Getenv(PostgresVariable))
	if err != nil {
		return "", "", err
	}
	admin, err := sql.Open("postgres", u.String())
	if err != nil {
		return "", "", err
	}
	defer admin.Close()
	name = "test_" + strings.ToLower(rand.Text())
	_, err = admin.Exec("CREATE DATABASE " + name)
	u.Path = "/" + name
	return u.String(), name, err
}

func postgres(t *testing.T, address string) *sql.DB {
	t.Helper()
	own, name, err := CreatePostgres()
	must(t, err)
	db, err := sql.Open("postgres", own)
	must(t, err)
	db.SetMaxIdleConns(40) // like a server: a new PostgreSQL connection costs more than a query
	t.Cleanup(func() {
		db.Close()
		admin, err := sql.Open("postgres", address)
		if err == nil {
			_, err = admin.Exec("DROP DATABASE " + name)
			admin.Close()
		}
		if err != nil {
			t.Error(err)
		}
	})
	return db
}

// Setting returns a setting of PostgreSQL as it is for db, a connection or a transaction.
func Setting(t *testing.T, db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, name string) (value string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT current_setting($1)", name)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		must(t, rows.Scan(&value))
	}
	must(t, rows.Err())
	return value
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
