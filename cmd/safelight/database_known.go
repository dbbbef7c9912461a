package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/moves"
	"github.com/safelight/safelight/fault"
)

// watchInterval is how often a server checks whether writes are possible.
const watchInterval = 5 * time.Second

// knownDatabase is the content of database.json: the database with which the data folder was last used.
type knownDatabase struct {
	Place string    `json:"place"` // the URL without its password
	Since time.Time `json:"since"`
}

func knownFile(s *Settings) string { return filepath.Join(s.Data, "database.json") }

// known reads database.json; nil if it does not exist.
func known(s *Settings) (*knownDatabase, error) {
	text, err := os.ReadFile(knownFile(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	k := &knownDatabase{}
	if err == nil {
		err = json.Unmarshal(text, k)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", knownFile(s), err)
	}
	return k, nil
}

// refuseNew returns an error if the data folder has had a database, unless the operator allows a new one. Callers have
// found the database empty. If a file was moved away or a setting is wrong, the server would otherwise silently start
// with an empty gallery and without accounts.
func refuseNew(s *Settings) error {
	if s.AllowNewDatabase {
		return nil
	}
	k, err := known(s)
	if err != nil || k == nil {
		return err
	}
	return fmt.Errorf("the database %s is missing or empty, but this data folder has used %s since %s: restore the "+
		"database, or correct the setting database; to begin with an empty one, start once with --allow-new-database",
		databasePlace(s), k.Place, k.Since.UTC().Format(time.DateOnly))
}

// isNewFile reports whether a SQLite file is missing or empty.
func isNewFile(file string) (bool, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return err == nil && info.Size() == 0, err
}

// migrate applies pending migrations, and notes in the data folder that it uses this database.
func migrate(ctx context.Context, s *Settings, db *sql.DB, name string) error {
	if err := moves.Check(ctx, moves.Database{DB: db, Dialect: name, Place: databasePlace(s)}); err != nil {
		return err
	}
	if err := database.Migrate(ctx, db, name); err != nil {
		return fmt.Errorf("migrating the database: %w", err)
	}
	k, err := known(s)
	if err != nil || k != nil && k.Place == databasePlace(s) {
		return err
	}
	text, err := json.Marshal(knownDatabase{Place: databasePlace(s), Since: time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := makeData(s); err != nil {
		return err
	}
	if err := auth.ReplaceFile(knownFile(s), text); err != nil {
		return fmt.Errorf("noting which database is used: %w", err)
	}
	return nil
}

// presence returns a function that returns fault.Unavailable if the open SQLite file was moved away or replaced. Writes
// to such a file would be lost at the next start.
func presence(s *Settings) (func() error, error) {
	file, err := sqliteFile(s)
	if err != nil {
		return nil, err
	}
	opened, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	return func() error {
		now, err := os.Stat(file)
		if err == nil && os.SameFile(opened, now) {
			return nil
		}
		f := fault.Wrap(err, fault.Unavailable, "the database file was moved or replaced while the server was "+
			"running: move it back, or restart the server")
		f.RetryAfter = 10 * time.Second
		return f
	}, nil
}

// guard makes writes fail while the SQLite file is missing, and reserves disk space that is used when the disk is
// full. With PostgreSQL, whose files this server cannot see, it does nothing.
func (at *site) guard(db *database.DB, log *slog.Logger) error {
	if at.Dialect == dialect.Postgres {
		return nil
	}
	check, err := presence(at.Settings)
	if err != nil {
		return err
	}
	db.SetPresenceCheck(check)
	file, err := sqliteFile(at.Settings)
	if err != nil {
		return err
	}
	reserve, err := database.OpenReserve(filepath.Join(filepath.Dir(file), "reserve"))
	if err != nil {
		log.Warn("reserving disk space for the database failed", "error", err)
	} else {
		at.closers = append(at.closers, reserve)
		db.UseReserve(reserve)
	}
	at.admit = db.Admit
	return nil
}

// watchDatabase logs when the database starts to refuse writes and when it accepts them again, until stop is called.
func (at *site) watchDatabase(ctx context.Context, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	if at.admit == nil {
		return cancel
	}
	go func() {
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for before := error(nil); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			err := at.admit(ctx)
			switch {
			case err != nil && before == nil:
				log.ErrorContext(ctx, "writes are refused", "error", err)
			case err == nil && before != nil:
				log.InfoContext(ctx, "writes work again")
			}
			before = err
		}
	}()
	return cancel
}
