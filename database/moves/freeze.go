package moves

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/safelight/safelight/database"
)

// markTable has one row, which says how a database takes part in a move. It is no table of the ent schemas: an ordinary database has none.
const markTable = "database_move"

// The states of a mark.
const (
	leaving  = "leaving"  // it is read, and takes no changes
	left     = "left"     // it was moved, and takes no changes
	arriving = "arriving" // it is incomplete
	arrived  = "arrived"  // it is in use
)

type mark struct{ id, state, other, since string }

// readMark returns the mark of a database; nil if it has none.
func readMark(ctx context.Context, d Database) (*mark, error) {
	there, err := hasTable(ctx, d, markTable)
	if err != nil || !there {
		return nil, err
	}
	m := &mark{}
	err = d.DB.QueryRowContext(ctx, "SELECT id, state, other, since FROM "+markTable).Scan(&m.id, &m.state, &m.other, &m.since)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading whether %s is moved: %w", d.Place, err)
	}
	return m, nil
}

func hasTable(ctx context.Context, d Database, name string) (there bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?)"
	if d.isPostgres() {
		query = "SELECT to_regclass($1) IS NOT NULL"
	}
	if err = d.DB.QueryRowContext(ctx, query, name).Scan(&there); err != nil {
		return false, fmt.Errorf("reading %s: %w", d.Place, err)
	}
	return there, nil
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// writeMark replaces the mark of a database. The values are our own, and quoted because the two databases number arguments differently.
func writeMark(ctx context.Context, db execer, m mark) error {
	literal := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	for _, statement := range []string{
		"CREATE TABLE IF NOT EXISTS " + markTable + " (id text NOT NULL, state text NOT NULL, other text NOT NULL, since text NOT NULL)",
		"DELETE FROM " + markTable,
		"INSERT INTO " + markTable + " (id, state, other, since) VALUES (" + literal(m.id) + ", " + literal(m.state) + ", " + literal(m.other) + ", " + literal(time.Now().UTC().Format(time.DateTime)) + ")",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error if servers must not start on a database, because it is incomplete or was moved.
func Check(ctx context.Context, d Database) error {
	m, err := readMark(ctx, d)
	if err != nil || m == nil {
		return err
	}
	switch m.state {
	case arriving:
		return fmt.Errorf("%s is incomplete: the move from %s that began at %s has not ended; run it again", d.Place, m.other, m.since)
	case leaving:
		return fmt.Errorf("%s is being moved to %s since %s: complete that, or end it by safelight move-database --cancel", d.Place, m.other, m.since)
	case left:
		return fmt.Errorf("%s was moved to %s at %s: set database to that one; to use the old one again, without what has changed since, run safelight move-database --cancel", d.Place, m.other, m.since)
	}
	return nil
}

// Begin makes a database take no more changes: servers on it, of any version, answer reads, and UNAVAILABLE to changes. The id is that of
// the move; a move that was interrupted keeps its own. It waits for changes that are being made. The database must have the current schema.
func Begin(ctx context.Context, from Database, to string) (id string, err error) {
	m, err := readMark(ctx, from)
	if err != nil {
		return "", err
	}
	if m != nil && (m.state == left || m.state == arriving) {
		return "", Check(ctx, from)
	}
	if m != nil && (m.state == filesLeaving || m.state == filesLeft) {
		return "", fmt.Errorf("the files of %s are being moved to %s: complete that first, and start a server on it", from.Place, m.other)
	}
	if err := isCurrent(ctx, from); err != nil {
		return "", err
	}
	id = rand.Text()
	if m != nil && m.state == leaving {
		id = m.id
	}
	return id, change(ctx, from, func(tx execer) error {
		for _, statement := range freezing(from) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("stopping changes of %s: %w", from.Place, err)
			}
		}
		return writeMark(ctx, tx, mark{id: id, state: leaving, other: to})
	})
}

// isCurrent returns an error unless all migrations are applied.
func isCurrent(ctx context.Context, d Database) error {
	if err := isNew(ctx, d); err == nil {
		return fmt.Errorf("%s is empty: there is nothing to move", d.Place)
	}
	states, err := database.MigrationStatus(ctx, d.DB, d.Dialect)
	for _, s := range states {
		if !s.Applied {
			return fmt.Errorf("%s has the schema of an older version: start this version on it first, or run safelight migrate up", d.Place)
		}
	}
	return err
}

// Arrived reports whether the copy of the move id is complete in a database, because only Finish was missing.
func Arrived(ctx context.Context, to Database, id string) (bool, error) {
	m, err := readMark(ctx, to)
	return err == nil && m != nil && m.id == id && m.state == arrived, err
}

// stillFrozen returns an error if the move was canceled.
func stillFrozen(ctx context.Context, from Database, id string) error {
	m, err := readMark(ctx, from)
	if err == nil && (m == nil || m.id != id || m.state != leaving) {
		err = fmt.Errorf("the move was canceled: %s may have changed", from.Place)
	}
	return err
}

// Finish notes that a database was moved as a whole. It still takes no changes.
func Finish(ctx context.Context, from Database, id string) error {
	if err := stillFrozen(ctx, from, id); err != nil {
		return err
	}
	_, err := from.DB.ExecContext(ctx, "UPDATE "+markTable+" SET state = '"+left+"'")
	return err
}

// Cancel lets a database take changes again, whether its move has ended or not.
func Cancel(ctx context.Context, from Database) error {
	m, err := readMark(ctx, from)
	if err != nil {
		return err
	}
	if m == nil || m.state != leaving && m.state != left {
		return fmt.Errorf("%s is not being moved and was not moved", from.Place)
	}
	return change(ctx, from, func(tx execer) error {
		for _, statement := range append(thawing(from), "DROP TABLE "+markTable) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// change runs do in a transaction that has the lock of a SQLite file from its start on.
func change(ctx context.Context, d Database, do func(execer) error) error {
	conn, err := d.DB.Conn(ctx)
	if err != nil {
		return fmt.Errorf("opening %s: %w", d.Place, err)
	}
	defer conn.Close()
	begin := "BEGIN IMMEDIATE"
	if d.isPostgres() {
		begin = "BEGIN"
	}
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return fmt.Errorf("changing %s: %w", d.Place, err)
	}
	if err = do(conn); err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // the connection closes if that fails
	}
	return err
}

// message is the error of a trigger. Versions that do not know it read the start of it, or the code 25006: a database that cannot be written.
const message = "attempt to write a readonly database: " + database.MovingText

// freezing returns statements that reject changes of all tables.
func freezing(d Database) []string {
	if d.isPostgres() {
		return freezingPostgres()
	}
	list := thawing(d)
	for _, t := range tables {
		for _, what := range []string{"INSERT", "UPDATE", "DELETE"} {
			list = append(list, "CREATE TRIGGER "+quoted(triggerName(t.Name, what))+" BEFORE "+what+" ON "+quoted(t.Name)+" BEGIN SELECT RAISE(ABORT, '"+message+"'); END")
		}
	}
	return list
}

func freezingPostgres() []string {
	var names []string
	for _, t := range tables {
		names = append(names, quoted(t.Name))
	}
	list := []string{
		"SET LOCAL lock_timeout = '60s'",
		"LOCK TABLE " + strings.Join(names, ", ") + " IN SHARE ROW EXCLUSIVE MODE", // waits for changes that are being made
		"CREATE OR REPLACE FUNCTION safelight_moving() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '" + message + "' USING ERRCODE = '25006'; END $$",
	}
	for _, t := range tables {
		name := quoted(triggerName(t.Name, "change"))
		list = append(list, "DROP TRIGGER IF EXISTS "+name+" ON "+quoted(t.Name),
			"CREATE TRIGGER "+name+" BEFORE INSERT OR UPDATE OR DELETE ON "+quoted(t.Name)+" FOR EACH ROW EXECUTE FUNCTION safelight_moving()")
	}
	return list
}

// thawing returns statements that undo those of freezing.
func thawing(d Database) (list []string) {
	for _, t := range tables {
		if d.isPostgres() {
			list = append(list, "DROP TRIGGER IF EXISTS "+quoted(triggerName(t.Name, "change"))+" ON "+quoted(t.Name))
			continue
		}
		for _, what := range []string{"INSERT", "UPDATE", "DELETE"} {
			list = append(list, "DROP TRIGGER IF EXISTS "+quoted(triggerName(t.Name, what)))
		}
	}
	if d.isPostgres() {
		list = append(list, "DROP FUNCTION IF EXISTS safelight_moving()")
	}
	return list
}

func triggerName(table, what string) string { return "moving_" + table + "_" + strings.ToLower(what) }
