// Command generate writes the migration from the state of ent/migrations to the ent schemas: go run
// ./ent/migrations/generate NAME POSTGRES-URL. The database of the URL must be empty; the command migrates it. What ent
// cannot express is written by hand; then update the checksums: go run ./ent/migrations/generate hash.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	atlas "ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/sqltool"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"
	_ "github.com/lib/pq"
	_ "github.com/mattn/go-sqlite3"
	"github.com/pressly/goose/v3"

	"github.com/safelight/safelight/ent/migrate"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "hash" {
		if err := hash(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: generate NAME POSTGRES-URL, or generate hash")
		os.Exit(2)
	}
	title, url := os.Args[1], os.Args[2]
	err := migratePostgres(url)
	if err == nil {
		err = generate(dialect.Postgres, url, title, schema.ModeInspect)
	}
	if err == nil {
		err = generate(dialect.SQLite, "sqlite://dev?mode=memory&_fk=1", title, schema.ModeReplay)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// migratePostgres applies all migrations to an empty database. ent cannot replay them on PostgreSQL: it executes them
// outside of a transaction, where LOCK TABLE fails, and cannot drop the tables that their functions use.
func migratePostgres(url string) error {
	db, err := sql.Open(dialect.Postgres, url)
	if err != nil {
		return err
	}
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("ent/migrations/postgres"))
	if err != nil {
		return err
	}
	if _, err := p.Up(context.Background()); err != nil {
		return fmt.Errorf("applying the migrations to PostgreSQL: %w", err)
	}
	return nil
}

// generate writes the migration of one database. mode is how ent reads the schema before it.
func generate(name, url, title string, mode schema.Mode) error {
	folder := map[string]string{dialect.SQLite: "sqlite", dialect.Postgres: "postgres"}[name]
	dir, err := sqltool.NewGooseDir("ent/migrations/" + folder)
	if err != nil {
		return err
	}
	return migrate.NamedDiff(
		context.Background(),
		url,
		title,
		schema.WithDir(dir),
		schema.WithMigrationMode(mode),
		schema.WithDialect(name),
		schema.WithFormatter(sqltool.GooseFormatter),
	)
}

// hash updates the checksums of all files.
func hash() error {
	for _, folder := range []string{"sqlite", "postgres"} {
		dir, err := sqltool.NewGooseDir("ent/migrations/" + folder)
		if err != nil {
			return err
		}
		sum, err := dir.Checksum()
		if err != nil {
			return err
		}
		if err := atlas.WriteSumFile(dir, sum); err != nil {
			return err
		}
	}
	return nil
}
