// Package database contains what the packages that own tables share: the database client, transactions with a
// queue for SQLite's single writer and retries after a deadlock, locks, page limits, migrations, and the
// translation of errors to faults. It owns no table. Each table belongs to the package that writes it.
package database

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent"
)

// DB is ent's client, extended by what differs between SQLite and PostgreSQL. It is safe for concurrent use.
// A process must have only one DB for each SQLite file, because it contains the queue of writers.
type DB struct {
	*ent.Client
	dialect string
	writer  chan struct{} // a semaphore: on SQLite one transaction at a time
	reserve *Reserve      // nil: on a full disk, all writes fail
	present func() error  // nil: not checked
	guard   Guard         // nil: transactions are not guarded
}

// New returns a DB that uses an open connection pool. dialect is ent's name of the database. The caller
// closes pool.
func New(pool *sql.DB, dialect string) *DB {
	return &DB{
		Client:  ent.NewClient(ent.Driver(newUTCDriver(pool, dialect))),
		dialect: dialect,
		writer:  make(chan struct{}, 1),
	}
}

// UseReserve makes essential writes work on a full disk. Call it before the first use. The caller closes the
// reserve.
func (db *DB) UseReserve(r *Reserve) { db.reserve = r }

// SetPresenceCheck makes every transaction fail with the error of check, which is fault.Unavailable while the database
// is missing. check must be cheap. Call SetPresenceCheck before the first use.
func (db *DB) SetPresenceCheck(check func() error) { db.present = check }

// IsPostgres reports whether the database is PostgreSQL; otherwise it is SQLite.
func (db *DB) IsPostgres() bool { return db.dialect == dialect.Postgres }

// Dialect returns ent's name of the database, for statements of ent's builder.
func (db *DB) Dialect() string { return db.dialect }

// Numbered converts a statement with ? placeholders to the format of the database.
func (db *DB) Numbered(statement string) string {
	if !db.IsPostgres() {
		return statement
	}
	var b strings.Builder
	n := 0
	for _, r := range statement {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
	return b.String()
}

// Check returns fault.Unavailable unless the database answers a query.
func (db *DB) Check(ctx context.Context) error {
	_, err := db.ProcessorSettings.Query().Exist(ctx)
	return unavailable(err)
}

// LockRows is a condition that all rows meet. It locks the rows of the query against other transactions until
// this transaction ends. SQLite locks the whole database for a writer anyway.
func LockRows(s *entsql.Selector) {
	if s.Dialect() == dialect.Postgres {
		s.ForUpdate()
	}
}
