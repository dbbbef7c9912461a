package moves

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// markTable stores the state of moves: one row for a move of the database, and one for a move of its files.
// The ent schemas do not declare it, because only databases that are part of a move have it.
const markTable = "database_move"

// The states of the mark of a database.
const (
	leaving  = "leaving"  // it can be read, and not changed
	left     = "left"     // it was moved, and cannot be changed
	arriving = "arriving" // it is incomplete
	arrived  = "arrived"  // it is in use
)

// The states of the mark of the files.
const (
	filesLeaving = "files leaving" // files cannot be changed
	filesLeft    = "files left"    // nor until a server starts on the other storage
	filesArrived = "files arrived" // servers on another storage than that do not start
)

// subject is what a move moves: the database or the files.
type subject string

const (
	ofDatabase subject = "state NOT LIKE 'files %'"
	ofFiles    subject = "state LIKE 'files %'"
)

// mark is a row of markTable. For the database, id is the id of its move. For the files, it is the storage to
// which an earlier move brought them, or empty. AllowFileChanges restores it.
type mark struct{ id, state, other, since string }

func (m mark) subject() subject {
	if strings.HasPrefix(m.state, "files ") {
		return ofFiles
	}
	return ofDatabase
}

// session is a connection, a transaction or a pool.
type session interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// runAll runs statements until one fails.
func runAll(ctx context.Context, s session, list ...string) error {
	for _, statement := range list {
		if _, err := s.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// readMark returns a mark of a database, or nil if there is none.
func readMark(ctx context.Context, d Database, s session, of subject) (*mark, error) {
	there, err := hasTable(ctx, d, s, markTable)
	if err != nil || !there {
		return nil, err
	}
	m := &mark{}
	err = s.QueryRowContext(ctx, "SELECT id, state, other, since FROM "+markTable+" WHERE "+string(of)).
		Scan(&m.id, &m.state, &m.other, &m.since)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading whether %s is moved: %w", d.Place, err)
	}
	return m, nil
}

func hasTable(ctx context.Context, d Database, s session, name string) (there bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?)"
	if d.isPostgres() {
		query = "SELECT to_regclass($1) IS NOT NULL"
	}
	if err = s.QueryRowContext(ctx, query, name).Scan(&there); err != nil {
		return false, fmt.Errorf("reading %s: %w", d.Place, err)
	}
	return there, nil
}

// writeMark replaces the mark of the same subject. A mark without a time gets the current time. The values
// come from this package; they are quoted, because the two databases number arguments differently.
func writeMark(ctx context.Context, s session, m mark) error {
	if m.since == "" {
		m.since = time.Now().UTC().Format(time.DateTime)
	}
	var values []string
	for _, v := range []string{m.id, m.state, m.other, m.since} {
		values = append(values, "'"+strings.ReplaceAll(v, "'", "''")+"'")
	}
	return runAll(
		ctx, s,
		"CREATE TABLE IF NOT EXISTS "+markTable+
			" (id text NOT NULL, state text NOT NULL, other text NOT NULL, since text NOT NULL)",
		removeMark(m.subject()),
		"INSERT INTO "+markTable+" (id, state, other, since) VALUES ("+strings.Join(values, ", ")+")",
	)
}

// removeMark returns the statement that removes a mark.
func removeMark(of subject) string { return "DELETE FROM " + markTable + " WHERE " + string(of) }

// setState returns the statement that changes the state of a mark.
func setState(before, after string) string {
	return "UPDATE " + markTable + " SET state = '" + after + "' WHERE state = '" + before + "'"
}

// Check returns an error if servers must not start with a database, because it is incomplete or was moved.
func Check(ctx context.Context, d Database) error { return check(ctx, d, d.DB) }

func check(ctx context.Context, d Database, s session) error {
	m, err := readMark(ctx, d, s, ofDatabase)
	if err != nil || m == nil {
		return err
	}
	switch m.state {
	case arriving:
		return fmt.Errorf(
			"%s is incomplete: the move from %s that began at %s has not ended; run it again", d.Place,
			m.other, m.since,
		)
	case leaving:
		return fmt.Errorf(
			"%s is being moved to %s since %s: complete the move, or cancel it by safelight move-database --cancel",
			d.Place, m.other, m.since,
		)
	case left:
		return fmt.Errorf(
			"%s was moved to %s at %s: set database to that one; to use the old one again, "+
				"without what has changed since, run safelight move-database --cancel",
			d.Place, m.other, m.since,
		)
	}
	return nil
}
