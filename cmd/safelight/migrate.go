package main

import (
	"database/sql"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/database"
	translate "github.com/safelight/safelight/migrate"
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

// migrateUp applies the pending migrations and lists all migrations.
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
		if m.Newer {
			m.Name, state = "(unknown)", state+" by a newer version of Safelight than this one, "+version
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", m.Version, m.Name, state)
	}
	return w.Flush()
}

func (p *program) migrateURLs() *cobra.Command {
	var c translate.Command
	command := &cobra.Command{
		Use:   "migrate-urls <file>",
		Short: "Compare image URLs of thumbor, imagor, imgproxy and imaginary with those of this server.",
		Long: "Compare URLs of other image servers with those of this one: a list with one per line, or an access log " +
			"in the common or combined format or as JSON lines. - is standard input.",
		RunE: func(_ *cobra.Command, args []string) error {
			c.File = args[0]
			return p.reportURLs(c)
		},
	}
	c.AddFlags(command.Flags())
	return command
}

// reportURLs prints how Safelight interprets each URL. The exit code is 0 if all results are the same, 2 if some
// differ, and 3 if some URLs are refused.
func (p *program) reportURLs(c translate.Command) error {
	code, err := c.Report(p.stdin, p.stdout)
	if err == nil && code > 0 {
		return exitStatus(code)
	}
	return err
}
