package moves

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/safelight/safelight/database"
)

// Begin blocks changes of a database. Servers of any version continue to answer reads, and reject changes
// with UNAVAILABLE. It returns the id of the move. An interrupted move to the same place keeps its id; one to
// another place ends. Begin waits for changes in progress. The database must have the current schema.
func Begin(ctx context.Context, from Database, to string) (id string, err error) {
	if _, err := mayLeave(ctx, from, from.DB); err != nil {
		return "", err
	}
	if err := isCurrent(ctx, from); err != nil {
		return "", err
	}
	err = change(ctx, from, func(tx session) error {
		m, err := mayLeave(ctx, from, tx)
		if err != nil {
			return err
		}
		id = rand.Text()
		if m != nil && m.state == leaving && m.other == to {
			id = m.id
		}
		list := tableGuards(from).create(from)
		if from.isPostgres() { // waits for changes in progress
			list = append([]string{"LOCK TABLE " + tableNames() + " IN SHARE ROW EXCLUSIVE MODE"}, list...)
		}
		if err := runAll(ctx, tx, list...); err != nil {
			return fmt.Errorf("stopping changes of %s: %w", from.Place, err)
		}
		return writeMark(ctx, tx, mark{id: id, state: leaving, other: to})
	})
	return id, err
}

// mayLeave returns the mark of a database, or an error if the database must not be moved.
func mayLeave(ctx context.Context, from Database, s session) (*mark, error) {
	m, err := readMark(ctx, from, s, ofDatabase)
	if err != nil {
		return nil, err
	}
	if m != nil && (m.state == left || m.state == arriving) {
		return nil, check(ctx, from, s)
	}
	files, err := readMark(ctx, from, s, ofFiles)
	if err == nil && files != nil && files.state != filesArrived {
		err = fmt.Errorf(
			"the files of %s are being moved to %s: complete that move and start a server on the new storage first",
			from.Place, files.other,
		)
	}
	return m, err
}

func tableNames() string {
	var names []string
	for _, t := range tables() {
		names = append(names, quoted(t.Name))
	}
	return strings.Join(names, ", ")
}

// isCurrent returns an error unless all migrations were applied.
func isCurrent(ctx context.Context, d Database) error {
	if err := isNew(ctx, d); err == nil {
		return fmt.Errorf("%s is empty: there is nothing to move", d.Place)
	}
	states, err := database.MigrationStatus(ctx, d.DB, d.Dialect)
	for _, s := range states {
		if !s.Applied {
			return fmt.Errorf(
				"%s has the schema of an older version: start this version on it first, or run safelight migrate up",
				d.Place,
			)
		}
	}
	return err
}

// Arrived reports whether a database contains the complete copy of the move with this id, so that only Finish
// is missing.
func Arrived(ctx context.Context, to Database, id string) (bool, error) {
	m, err := readMark(ctx, to, to.DB, ofDatabase)
	return err == nil && m != nil && m.id == id && m.state == arrived, err
}

// stillFrozen returns an error if the move was canceled.
func stillFrozen(ctx context.Context, from Database, s session, id string) error {
	m, err := readMark(ctx, from, s, ofDatabase)
	if err == nil && (m == nil || m.id != id || m.state != leaving) {
		err = fmt.Errorf("the move was canceled: %s may have changed", from.Place)
	}
	return err
}

// Finish records that a database was moved completely. It still rejects changes.
func Finish(ctx context.Context, from Database, id string) error {
	return change(ctx, from, func(tx session) error {
		if err := stillFrozen(ctx, from, tx, id); err != nil {
			return err
		}
		return runAll(ctx, tx, setState(leaving, left))
	})
}

// Cancel makes a database accept changes again, whether or not its move is complete.
func Cancel(ctx context.Context, from Database) error {
	return change(ctx, from, func(tx session) error {
		m, err := readMark(ctx, from, tx, ofDatabase)
		if err != nil {
			return err
		}
		if m == nil || m.state != leaving && m.state != left {
			return fmt.Errorf("%s is not being moved and was not moved", from.Place)
		}
		return runAll(ctx, tx, append(tableGuards(from).drop(from), removeMark(ofDatabase))...)
	})
}
