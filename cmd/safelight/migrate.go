package main

import (
	"database/sql"
	"fmt"
	"text/tabwriter"

	"github.com/safelight/safelight/database"
)

// migrateStatus lists every migration.
func (p *program) migrateStatus() error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	if err := checkExisting(s); err != nil {
		return err
	}
	db, dialect, err := openDatabase(p.ctx, s)
	if err != nil {
		return err
	}
	defer db.Close()
	return printMigrations(p, db, dialect)
}

// migrateUp applies the pending migrations and lists all.
func (p *program) migrateUp() error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	db, dialect, err := openDatabase(p.ctx, s)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := migrate(p.ctx, s, db, dialect); err != nil {
		return err
	}
	return printMigrations(p, db, dialect)
}

// printMigrations lists every migration, the oldest first.
func printMigrations(p *program, db *sql.DB, dialect string) error {
	states, err := database.MigrationStatus(p.ctx, db, dialect)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, m := range states {
		state := "pending"
		if m.Applied {
			state = "applied " + m.AppliedAt.UTC().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", m.Version, m.Name, state)
	}
	return w.Flush()
}
