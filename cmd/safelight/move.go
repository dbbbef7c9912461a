package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/database/moves"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/relocate"
	"github.com/safelight/safelight/storage"
)

type moveDatabaseCommand struct {
	From   string
	To     string
	Cancel bool
}

func (p *program) moveDatabase() *cobra.Command {
	var c moveDatabaseCommand
	command := newCommand("move-database",
		"Move the database from SQLite to PostgreSQL or back, while servers keep reading it.",
		func() error { return c.run(p) })
	command.Flags().StringVar(&c.From, "from", "", "Database `URL` to move from. Default: the setting database.")
	command.Flags().StringVar(&c.To, "to", "",
		"Empty database `URL` to move to: postgres://user@host/name, or sqlite:///file.db.")
	command.Flags().BoolVar(&c.Cancel, "cancel", false,
		"Allow changes of the database again, whether the move has ended or not. Without --to.")
	return command
}

// run moves the database, and prints what to do next.
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
			return explainRefusal(err)
		}
		_, err := fmt.Fprintf(p.stdout, "%s accepts changes again\n", from.Place)
		return err
	}
	if c.To == "" {
		return errors.New("--to is missing: name the database to move to, postgres://user@host/name or " +
			"sqlite:///file.db")
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
		return fmt.Errorf("%w\nthe old database has not changed; if it does not accept changes, run the command "+
			"again, or with --cancel instead of --to", explainRefusal(err))
	}
	for _, t := range list {
		fmt.Fprintf(p.stdout, "%-20s %9d rows, checksum %s\n", t.Name, t.Rows, t.Sum)
	}
	_, err = fmt.Fprintf(p.stdout, "moved %s to %s\nnow set database to the new one on all servers, keep keys.json, "+
		"and restart them; the old database does not accept changes\n", from.Place, to.Place)
	return err
}

// endOf returns the database with the given URL; the one in the settings if the URL is empty.
func endOf(s Settings, address string) (moves.End, error) {
	if address != "" {
		parsed, err := kindDatabase.parse(address)
		if err != nil {
			if fault.CodeOf(err) == fault.Invalid {
				return moves.End{}, err
			}
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

type moveStorageCommand struct {
	To      string
	Workers int
	Cancel  bool
}

func (p *program) moveStorage() *cobra.Command {
	var c moveStorageCommand
	command := &cobra.Command{
		Use:   "move-storage",
		Short: "Move the files from a folder to S3 or back, while servers keep reading them.",
		RunE:  p.withSite(func(at *site, _ []string) error { return c.run(p, at) }),
	}
	command.Flags().StringVar(&c.To, "to", "",
		"Empty storage `URL` to move to, as in the setting storage: file:///folder or s3://bucket/prefix.")
	command.Flags().IntVar(&c.Workers, "workers", 8, "Copy `N` files at a time.")
	command.Flags().BoolVar(&c.Cancel, "cancel", false,
		"Allow changes of files again, in the old storage. Without --to.")
	return command
}

// run moves the files of the storage in use, and prints what to do next.
func (c moveStorageCommand) run(p *program, at *site) error {
	d := at.moved()
	if c.Cancel {
		if err := moves.AllowFileChanges(p.ctx, d); err != nil {
			return err
		}
		_, err := fmt.Fprintln(p.stdout, "files can be changed again, in the old storage")
		return err
	}
	if c.To == "" {
		return errors.New("--to is missing: name the storage to move to, " + storage.Forms())
	}
	place, err := relocate.Place(c.To)
	if err != nil {
		return err
	}
	if place == at.storageName() {
		return fmt.Errorf("the files are in %s already", place)
	}
	to, err := storage.Open(p.ctx, c.To)
	if err != nil {
		return err
	}
	defer to.Close()
	done, err := relocate.Run(p.ctx, relocate.Config{From: at.files.Main, To: to, Place: place, Workers: c.Workers,
		Now:     at.Clock.Now,
		Journal: filepath.Join(at.Settings.Data, "move-storage.journal"),
		Report: func(r relocate.Progress) {
			fmt.Fprintf(
				p.stdout, "%s: files copied: %d, %s; already there: %d\n", r.Phase, r.Copied,
				formatBytes(r.Bytes), r.Passed,
			)
		}}, d)
	if err != nil {
		return fmt.Errorf("%w\nrun the command again to continue, or with --cancel instead of --to: the files in "+
			"the old storage are unchanged", err)
	}
	if done.Links > 0 {
		fmt.Fprintf(p.stdout, "not copied: %d folders that are symbolic links\n", done.Links)
	}
	_, err = fmt.Fprintf(p.stdout, "moved all files to %s\nstop all servers, set storage to the new one, and start "+
		"them: until then, files can be read but not changed\n", place)
	return err
}

// storageName returns the name of the storage in use, in the form that package moves expects.
func (at *site) storageName() string {
	if f := at.Files(); f != nil && f.Chosen != "" {
		return "the storage that was chosen by the API"
	}
	address := at.Settings.Storage
	if address == "" { // a path is not a URL, in which % and # would have a meaning
		if folder, err := filepath.Abs(filepath.Join(at.Settings.Data, "files")); err == nil {
			return "file://" + folder
		}
	}
	place, err := relocate.Place(address)
	if err != nil {
		return maskURL(address) // it was opened
	}
	return place
}
