// Command generate writes the migration from the state of ent/migrations to the ent schemas: go run
// ./ent/migrations/generate NAME POSTGRES-URL. The database of the URL must be empty. What ent cannot express is
// written by hand; then update the checksums: go run ./ent/migrations/generate hash.
package main

import (
	"context"
	"fmt"
	"os"

	atlas "ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/sqltool"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"
	_ "github.com/lib/pq"
	_ "github.com/mattn/go-sqlite3"

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
	for name, url := range map[string]string{dialect.SQLite: "sqlite://dev?mode=memory&_fk=1", dialect.Postgres: os.Args[2]} {
		if err := generate(name, url, os.Args[1]); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

func generate(name, url, title string) error {
	folder := map[string]string{dialect.SQLite: "sqlite", dialect.Postgres: "postgres"}[name]
	dir, err := sqltool.NewGooseDir("ent/migrations/" + folder)
	if err != nil {
		return err
	}
	return migrate.NamedDiff(
		context.Background(),
		url,
		title,
		schema.WithDir(
			dir,
		),
		schema.WithMigrationMode(schema.ModeReplay),
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
