package moves

import (
	"context"
	"errors"
	"fmt"

	"github.com/safelight/safelight/fault"
)

// StopFileChanges makes servers, of any version, answer changes of files with UNAVAILABLE: a change writes an intent
// first, and an upload its parts. Changes in progress continue; the caller waits until their intents are gone. It may
// be called again.
func StopFileChanges(ctx context.Context, d Database, to string) error {
	return change(ctx, d, func(tx session) error {
		m, err := ready(ctx, d, tx, to)
		if err != nil {
			return err
		}
		next := mark{state: filesLeaving, other: to}
		if m != nil {
			next.id = m.id
			if m.state == filesArrived {
				next.id = m.other
			}
		}
		if err := runAll(ctx, tx, fileGuards.create(d)...); err != nil {
			return fmt.Errorf("stopping changes of files: %w", err)
		}
		return writeMark(ctx, tx, next)
	})
}

// Ready returns an error if the files are at the other end already, or if the database takes part in a move of its own.
func Ready(ctx context.Context, d Database, to string) error {
	_, err := ready(ctx, d, d.DB, to)
	return err
}

func ready(ctx context.Context, d Database, s session, to string) (*mark, error) {
	m, err := readMark(ctx, d, s, ofFiles)
	if err != nil {
		return nil, err
	}
	if m != nil && (m.state == filesLeft || m.state == filesArrived && m.other == to) {
		return nil, fmt.Errorf(
			"the files were moved to %s at %s already: start the server with that storage", m.other, m.since,
		)
	}
	return m, check(ctx, d, s)
}

// FilesStopped returns an error unless files have taken no changes since StopFileChanges.
func FilesStopped(ctx context.Context, d Database, to string) error {
	_, err := stopped(ctx, d, d.DB, to)
	return err
}

func stopped(ctx context.Context, d Database, s session, to string) (*mark, error) {
	m, err := readMark(ctx, d, s, ofFiles)
	if err == nil && (m == nil || m.state != filesLeaving || m.other != to) {
		err = errors.New("the move was canceled: files may have changed")
	}
	return m, err
}

// FilesMoved notes that all files are in another storage. Files take no changes until Resume finds a server on it. It
// returns an error if AllowFileChanges has ended the move meanwhile.
func FilesMoved(ctx context.Context, d Database, to string) error {
	return change(ctx, d, func(tx session) error {
		m, err := stopped(ctx, d, tx, to)
		if err != nil {
			return err
		}
		return writeMark(ctx, tx, mark{id: m.id, state: filesLeft, other: to})
	})
}

// Resume is for a server that starts on a storage: it lets files change again if they were moved there, and returns an
// error if they were moved to another one. It does nothing without a move.
func Resume(ctx context.Context, d Database, storage string) error {
	if wait, err := resumes(ctx, d, d.DB, storage); err != nil || !wait {
		return err
	}
	return change(ctx, d, func(tx session) error {
		wait, err := resumes(ctx, d, tx, storage)
		if err != nil || !wait { // another server was first
			return err
		}
		if err := runAll(ctx, tx, fileGuards.drop(d)...); err != nil {
			return err
		}
		// a server that was forgotten on the old storage would change it
		return writeMark(ctx, tx, mark{state: filesArrived, other: storage})
	})
}

// MayReplace returns fault.Conflict if a move of the files decides which storage servers use.
func MayReplace(ctx context.Context, d Database) error {
	m, err := readMark(ctx, d, d.DB, ofFiles)
	if err != nil || m == nil {
		return err
	}
	if m.state == filesLeaving {
		return fault.New(
			fault.Conflict,
			"the files are being moved to %s: wait until the move is complete, or cancel it by safelight "+
				"move-storage --cancel",
			m.other,
		)
	}
	return fault.New(
		fault.Conflict,
		"the files were moved to %s at %s: to use another storage, run safelight move-storage --cancel first",
		m.other, m.since,
	)
}

// resumes reports whether files wait for a server on that storage.
func resumes(ctx context.Context, d Database, s session, storage string) (bool, error) {
	m, err := readMark(ctx, d, s, ofFiles)
	if err != nil || m == nil || m.state == filesLeaving {
		return false, err
	}
	if m.other != storage {
		return false, fmt.Errorf(
			"the files were moved to %s at %s: set storage to it; to use the old storage or another one, run "+
				"safelight move-storage --cancel",
			m.other, m.since,
		)
	}
	return m.state == filesLeft, nil
}

// AllowFileChanges undoes StopFileChanges and FilesMoved: the storage before them is used. Without them it lets servers
// start on any storage.
func AllowFileChanges(ctx context.Context, d Database) error {
	return change(ctx, d, func(tx session) error {
		m, err := readMark(ctx, d, tx, ofFiles)
		if err != nil || m == nil {
			return err
		}
		if err := runAll(ctx, tx, append(fileGuards.drop(d), removeMark(ofFiles))...); err != nil || m.id == "" {
			return err
		}
		return writeMark(ctx, tx, mark{state: filesArrived, other: m.id})
	})
}
