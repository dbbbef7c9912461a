package moves

import (
	"context"
	"errors"
	"fmt"

	"github.com/safelight/safelight/fault"
)

// StopFileChanges makes servers of any version reject file changes with UNAVAILABLE. It blocks the intents
// that changes write first, and the parts of uploads. Changes in progress continue; the caller waits until
// their intents are gone. It may be called repeatedly.
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

// Ready returns an error if the files were already moved to to, or if the database itself is part of a move.
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

// FilesStopped returns an error unless file changes have been blocked continuously since StopFileChanges.
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

// FilesMoved records that all files are in another storage. File changes stay blocked until Resume is called
// by a server that uses it. It returns an error if AllowFileChanges has ended the move in the meantime.
func FilesMoved(ctx context.Context, d Database, to string) error {
	return change(ctx, d, func(tx session) error {
		m, err := stopped(ctx, d, tx, to)
		if err != nil {
			return err
		}
		return writeMark(ctx, tx, mark{id: m.id, state: filesLeft, other: to})
	})
}

// Resume is called by a server that starts with a storage. It allows file changes again if the files were
// moved there, and returns an error if they were moved elsewhere. Without a move, it does nothing.
func Resume(ctx context.Context, d Database, storage string) error {
	if wait, err := resumes(ctx, d, d.DB, storage); err != nil || !wait {
		return err
	}
	return change(ctx, d, func(tx session) error {
		wait, err := resumes(ctx, d, tx, storage)
		if err != nil || !wait { // another server was faster
			return err
		}
		if err := runAll(ctx, tx, fileGuards.drop(d)...); err != nil {
			return err
		}
		// A server that still uses the old storage, because it was forgotten, must not change it.
		return writeMark(ctx, tx, mark{state: filesArrived, other: storage})
	})
}

// MayReplace returns fault.Conflict if the storage of the servers is determined by a move of the files.
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

// resumes reports whether the files wait for a server that uses this storage.
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

// AllowFileChanges undoes StopFileChanges and FilesMoved, so that the previous storage is used again. If
// neither was called, it allows servers to start with any storage.
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
