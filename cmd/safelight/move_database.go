package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/database/moves"
)

type moveDatabaseCommand struct {
	From   string
	To     string
	Cancel bool
}

func (p *program) moveDatabase() *cobra.Command {
	var c moveDatabaseCommand
	command := newCommand("move-database",
		"Move the database from SQLite to PostgreSQL or back, while servers go on reading it.",
		func() error { return c.run(p) })
	command.Flags().StringVar(&c.From, "from", "", "Database `URL` to move from. Default: the setting database.")
	command.Flags().StringVar(&c.To, "to", "",
		"Empty database `URL` to move to: postgres://user@host/name, or sqlite:///file.db.")
	command.Flags().BoolVar(&c.Cancel, "cancel", false,
		"Let the database take changes again instead, whether its move has ended or not.")
	return command
}

// run moves the database, and says what to do next.
func (c moveDatabaseCommand) run(p *program) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	from, err := endOf(*s, c.From)
	if err != nil {
		return err
	}
	if c.Cancel {
		if err := moves.CancelRun(p.ctx, from); err != nil {
			return explainTLS(err)
		}
		_, err := fmt.Fprintf(p.stdout, "%s takes changes again\n", from.Place)
		return err
	}
	if c.To == "" {
		return errors.New("--to is missing: name the database to move to, postgres://user@host/name or sqlite:///file.db")
	}
	to, err := endOf(*s, c.To)
	if err != nil {
		return err
	}
	list, err := moves.Run(p.ctx, from, to, func(table string, rows int64, done bool) {
		if rows > 0 && !done {
			fmt.Fprintf(p.stdout, "%s: %d rows\n", table, rows)
		}
	})
	if err != nil {
		return fmt.Errorf("%w\nthe old database is as it was; if it takes no changes, run the command again, or with --cancel instead of --to", explainTLS(err))
	}
	for _, t := range list {
		fmt.Fprintf(p.stdout, "%-20s %9d rows, checksum %s\n", t.Name, t.Rows, t.Sum)
	}
	_, err = fmt.Fprintf(p.stdout, "moved %s to %s\nnow set database to it on all servers, keep keys.json, and restart them; the old database takes no changes\n", from.Place, to.Place)
	return err
}

// endOf returns the database at an address, or that of the settings if the address is empty.
func endOf(s Settings, address string) (moves.End, error) {
	if address != "" {
		parsed, err := kindDatabase.parse(address)
		if err != nil {
			return moves.End{}, fmt.Errorf("%s is not a database: expected %s", maskURL(address), kindDatabase.Form)
		}
		s.Database = parsed.(string)
	}
	if s.usesPostgres() {
		return moves.End{Postgres: s.Database, Place: databasePlace(&s)}, nil
	}
	file, err := sqliteFile(&s)
	return moves.End{File: file, Place: file}, err
}
