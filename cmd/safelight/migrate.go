package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/safelight/safelight/gallery"
)

type migrateCommand struct {
	Status migrateStatus `cmd:"" help:"List the migrations and which of them are applied."`
	Up     migrateUp     `cmd:"" help:"Apply what is not applied; serve does so by itself."`
}

type migrateStatus struct{}

// Run lists every migration.
func (migrateStatus) Run(p *program) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	db, dialect, err := openDatabase(p.ctx, s)
	if err != nil {
		return err
	}
	defer db.Close()
	return printMigrations(p, db, dialect)
}

type migrateUp struct{}

// Run applies the pending migrations and lists all.
func (migrateUp) Run(p *program) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	db, dialect, err := openDatabase(p.ctx, s)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := gallery.Migrate(p.ctx, db, dialect); err != nil {
		return err
	}
	return printMigrations(p, db, dialect)
}
