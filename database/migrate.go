package database

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"time"

	"entgo.io/ent/dialect"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/safelight/safelight/ent/migrations"
)

// Migration is one step of the database's schema.
type Migration struct {
	Version   int64
	Name      string
	Applied   bool
	AppliedAt time.Time // zero if it was not applied yet
	Newer     bool      // only a newer program knows it, so its name is unknown
}

// lastBefore is the last commit with the old migrations, which were squashed into the current first one.
const lastBefore = "40cc4aa0"

// Migrate updates a database to the current schema. On PostgreSQL, servers that start at the same time wait
// for each other. name is ent's name of the dialect. If the database is older than the first migration, the
// error explains what to do.
func Migrate(ctx context.Context, db *sql.DB, name string) error {
	p, err := provider(db, name)
	if err != nil {
		return err
	}
	version, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("reading the version of the database: %w", err)
	}
	if err := tooOld(version, name); err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("applying migrations: %w", err)
	}
	return nil
}

// MigrationStatus returns all migrations, oldest first: those of this program, and then newer ones that were
// applied to the database.
func MigrationStatus(ctx context.Context, db *sql.DB, name string) ([]Migration, error) {
	p, err := provider(db, name)
	if err != nil {
		return nil, err
	}
	all, err := p.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading migrations: %w", err)
	}
	list := make([]Migration, len(all))
	for i, s := range all {
		list[i] = Migration{
			Version:   s.Source.Version,
			Name:      s.Source.Path,
			Applied:   s.State == goose.StateApplied,
			AppliedAt: s.AppliedAt,
		}
	}
	newer, err := newerMigrations(ctx, db, list[len(list)-1].Version)
	return append(list, newer...), err
}

// newerMigrations returns the migrations after a version that were applied to the database. The table of
// versions must exist.
func newerMigrations(ctx context.Context, db *sql.DB, last int64) (list []Migration, err error) {
	rows, err := db.QueryContext(ctx, fmt.Sprintf(
		"SELECT version_id, tstamp FROM goose_db_version WHERE version_id > %d AND is_applied ORDER BY version_id",
		last))
	if err != nil {
		return nil, fmt.Errorf("reading migrations: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		m := Migration{Applied: true, Newer: true}
		if err := rows.Scan(&m.Version, &m.AppliedAt); err != nil {
			return nil, fmt.Errorf("reading migrations: %w", err)
		}
		list = append(list, m)
	}
	return list, rows.Err()
}

// versions returns the versions of the migrations that this program knows, in order.
func versions(name string) ([]int64, error) {
	folder := "sqlite"
	if name == dialect.Postgres {
		folder = "postgres"
	}
	files, err := fs.Glob(migrations.Files, folder+"/*.sql") // sorted by name, which starts with the version
	if err != nil {
		return nil, err
	}
	list := make([]int64, len(files))
	for i, f := range files {
		if list[i], err = goose.NumericComponent(f); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// NewestMigration returns the version of the newest migration that this program knows.
func NewestMigration(name string) (int64, error) {
	list, err := versions(name)
	if err != nil {
		return 0, err
	}
	return list[len(list)-1], nil
}

// tooOld returns an error if a database is not new and its version precedes the first migration.
func tooOld(version int64, name string) error {
	list, err := versions(name)
	if err == nil && version > 0 && version < list[0] {
		err = fmt.Errorf("the database has the version %d, older than %d, the oldest that this program can migrate: "+
			"start Safelight of the commit %s on it once, or run its migrate up, and then this one", version, list[0],
			lastBefore)
	}
	return err
}

func provider(db *sql.DB, name string) (*goose.Provider, error) {
	folder, kind := "sqlite", goose.DialectSQLite3
	var options []goose.ProviderOption
	if name == dialect.Postgres {
		folder, kind = "postgres", goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	files, err := fs.Sub(migrations.Files, folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(kind, db, files, options...)
}

// IsNewPostgres reports whether a PostgreSQL database contains none of our tables.
func IsNewPostgres(ctx context.Context, db *sql.DB) (empty bool, err error) {
	err = db.QueryRowContext(ctx, "SELECT to_regclass('goose_db_version') IS NULL").Scan(&empty)
	return empty, err
}
