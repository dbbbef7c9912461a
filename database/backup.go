package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"

	"entgo.io/ent/dialect"
)

// PostgresTool runs a client program of PostgreSQL. It passes the password in the environment, because other
// users of the computer can read arguments.
func PostgresTool(ctx context.Context, name string, args ...string) error {
	command := exec.CommandContext(ctx, name, args...)
	command.Env = os.Environ()
	for i, a := range args {
		if address, ok := strings.CutPrefix(a, "--dbname="); ok {
			clean, password := withoutPassword(address)
			command.Args[i+1] = "--dbname=" + clean
			command.Env = append(command.Env, "PGPASSWORD="+password)
		}
	}
	text, err := command.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is missing: install the client programs of PostgreSQL", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(text)))
	}
	return nil
}

// CheckFile returns an error if a SQLite file is damaged, is not a database of Safelight, or has a newer schema.
func CheckFile(ctx context.Context, file string) error {
	db, err := sql.Open(dialect.SQLite, "file:"+(&url.URL{Path: file}).EscapedPath()+"?mode=ro&immutable=1")
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil || verdict != "ok" {
		return errors.Join(fmt.Errorf("its database is damaged: %s", verdict), err)
	}
	var newest int64
	if err := db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&newest); err != nil {
		return fmt.Errorf("its database is not a database of Safelight: %w", err)
	}
	if err := tooOld(newest, dialect.SQLite); err != nil {
		return err
	}
	known, err := NewestMigration(dialect.SQLite)
	if err == nil && newest > known {
		err = fmt.Errorf(
			"its database is of a newer version (migration %d, this version knows %d): use the version that made "+
				"the backup or a later one",
			newest, known,
		)
	}
	return err
}

// withoutPassword splits the address of a PostgreSQL database.
func withoutPassword(address string) (clean, password string) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address, ""
	}
	password, _ = u.User.Password()
	u.User = url.User(u.User.Username())
	return u.String(), password
}
