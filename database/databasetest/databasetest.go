// Package databasetest opens databases for tests: SQLite always, PostgreSQL if a server is configured.
package databasetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"entgo.io/ent/dialect"
	_ "github.com/lib/pq"           // the driver postgres
	_ "github.com/mattn/go-sqlite3" // the driver sqlite3

	"github.com/safelight/safelight/database"
)

// PostgresVariable is the environment variable with the URL of a server on which tests may create databases.
const PostgresVariable = "SAFELIGHT_TEST_POSTGRES"

// Each runs a test on a new SQLite database and, if PostgresVariable is set, on a new PostgreSQL database, both
// migrated. name is ent's name of the dialect.
func Each(t *testing.T, test func(t *testing.T, db *sql.DB, name string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t), dialect.SQLite) })
	onPostgres(t, postgresTemplate, test)
}

// EachEmpty is Each with databases that were not migrated.
func EachEmpty(t *testing.T, test func(t *testing.T, db *sql.DB, name string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, EmptySQLite(t), dialect.SQLite) })
	onPostgres(t, func() (string, error) { return "template1", nil }, test)
}

// onPostgres runs a test on a copy of a template database.
func onPostgres(t *testing.T, template func() (string, error), test func(t *testing.T, db *sql.DB, name string)) {
	t.Run("postgres", func(t *testing.T) {
		address := os.Getenv(PostgresVariable)
		if address == "" {
			t.Skip(PostgresVariable + " names no server: make test starts one and sets it")
		}
		from, err := template()
		must(t, err)
		test(t, postgres(t, address, from), dialect.Postgres)
	})
}

// A migration takes many times as long as copying a database, so each process migrates once.
var (
	sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
		folder, err := os.MkdirTemp("", "safelight-template")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		file := filepath.Join(folder, "db")
		db, err := openSQLite(file)
		if err != nil {
			return nil, err
		}
		err = database.Migrate(context.Background(), db, dialect.SQLite)
		if err := errors.Join(err, db.Close()); err != nil { // closing the last connection removes the write-ahead log
			return nil, err
		}
		return os.ReadFile(file)
	})

	postgresTemplate = sync.OnceValues(func() (string, error) { // never dropped; it goes away with its server
		address, name, err := CreatePostgres()
		if err != nil {
			return "", err
		}
		db, err := sql.Open("postgres", address)
		if err != nil {
			return "", err
		}
		err = database.Migrate(context.Background(), db, dialect.Postgres)
		return name, errors.Join(err, db.Close())
	})
)

// SQLite returns a new, migrated database that is closed when the test ends.
func SQLite(t *testing.T) *sql.DB {
	t.Helper()
	template, err := sqliteTemplate()
	must(t, err)
	file := filepath.Join(t.TempDir(), "db")
	must(t, os.WriteFile(file, template, 0o600))
	return sqlite(t, file)
}

// EmptySQLite is SQLite with a database that was not migrated.
func EmptySQLite(t *testing.T) *sql.DB {
	t.Helper()
	return sqlite(t, filepath.Join(t.TempDir(), "db"))
}

func sqlite(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := openSQLite(file)
	must(t, err)
	db.SetMaxOpenConns(20) // as in the server
	t.Cleanup(func() { db.Close() })
	return db
}

func openSQLite(file string) (*sql.DB, error) {
	u := &url.URL{Path: file} // the name contains a # if two tests have the same name
	return sql.Open(
		"sqlite3",
		"file:"+u.EscapedPath()+
			"?_fk=1&_journal_mode=WAL&_busy_timeout=60000&_synchronous=OFF&_txlock=immediate&_stmt_cache_size=64",
	)
}

// EmptyPostgres returns the URL of an empty PostgreSQL database, which is never dropped. It skips the test if
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
func CreatePostgres() (address, name string, err error) { return copyPostgres("template1") }

func copyPostgres(template string) (address, name string, err error) {
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
	// The other strategy, the default since PostgreSQL 15, logs every block and takes three times as long.
	_, err = admin.Exec("CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY file_copy")
	u.Path = "/" + name
	return u.String(), name, err
}

func postgres(t *testing.T, address, template string) *sql.DB {
	t.Helper()
	own, name, err := copyPostgres(template)
	must(t, err)
	db, err := database.OpenPostgres(own)
	must(t, err)
	db.SetMaxIdleConns(40) // as in the server: a new PostgreSQL connection costs more than a query
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

// Setting returns a setting of PostgreSQL for db, which is a connection or a transaction.
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
