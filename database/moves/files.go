package moves

import (
	"context"
	"fmt"
)

// The states of a mark while the files of a database move to another storage.
const (
	filesLeaving = "files leaving" // files take no changes
	filesLeft    = "files left"    // they take none until a server starts on the other storage
	filesArrived = "files arrived" // servers on another storage than that do not start
)

// StopFileChanges makes servers, of any version, answer UNAVAILABLE to whatever changes a file: such a change writes an intent first, and an
// upload its parts. Those that are being made go on; the caller waits for their intents. It may be called again.
func StopFileChanges(ctx context.Context, d Database, to string) error {
	if err := Ready(ctx, d, to); err != nil {
		return err
	}
	return change(ctx, d, func(tx execer) error {
		for _, statement := range append(startingFiles(d), stoppingFiles(d)...) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("stopping changes of files: %w", err)
			}
		}
		return writeMark(ctx, tx, mark{state: filesLeaving, other: to})
	})
}

// Ready returns an error if the files are at the other end already, or if the database takes part in a move of its own.
func Ready(ctx context.Context, d Database, to string) error {
	m, err := readMark(ctx, d)
	if err == nil && m != nil && (m.state == filesLeft || m.state == filesArrived && m.other == to) {
		return fmt.Errorf("the files were moved to %s at %s already: start the server with that storage", m.other, m.since)
	}
	if err != nil {
		return err
	}
	return Check(ctx, d)
}

// FilesMoved notes that all files are in another storage. Files take no changes until Resume finds a server on it.
func FilesMoved(ctx context.Context, d Database, to string) error {
	return change(ctx, d, func(tx execer) error {
		return writeMark(ctx, tx, mark{state: filesLeft, other: to})
	})
}

// Resume is for a server that starts on a storage: it lets files change again if they were moved there, and returns an error if they were moved
// to another one. It does nothing without a move.
func Resume(ctx context.Context, d Database, storage string) error {
	m, err := readMark(ctx, d)
	if err != nil || m == nil || m.state != filesLeft && m.state != filesArrived {
		return err
	}
	if m.other != storage {
		return fmt.Errorf("the files were moved to %s at %s: set storage to it; to use the old storage or another one, run safelight move-storage --cancel", m.other, m.since)
	}
	if m.state == filesArrived {
		return nil
	}
	return change(ctx, d, func(tx execer) error {
		for _, statement := range startingFiles(d) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return writeMark(ctx, tx, mark{state: filesArrived, other: storage}) // a server that was forgotten on the old storage would change it
	})
}

// AllowFileChanges undoes StopFileChanges and FilesMoved; the storage of the settings is used as before.
func AllowFileChanges(ctx context.Context, d Database) error {
	m, err := readMark(ctx, d)
	if err != nil || m == nil || m.state != filesLeaving && m.state != filesLeft && m.state != filesArrived {
		return err
	}
	return change(ctx, d, func(tx execer) error {
		for _, statement := range append(startingFiles(d), "DROP TABLE "+markTable) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// fileTriggers are the statements on tables that announce or acknowledge a change of a file; who heals one becomes its owner.
var fileTriggers = [][2]string{{"intents", "INSERT"}, {"intents", "UPDATE OF owner"}, {"pending_uploads", "INSERT"}, {"pending_uploads", "UPDATE"}, {"pending_parts", "INSERT"}}

func fileTrigger(t [2]string) string { return quoted("moving_files_" + t[0] + "_" + t[1]) }

func stoppingFiles(d Database) (list []string) {
	if d.isPostgres() {
		list = append(list, "SET LOCAL lock_timeout = '60s'", "CREATE OR REPLACE FUNCTION safelight_moving_files() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '"+message+"' USING ERRCODE = '25006'; END $$")
	}
	for _, t := range fileTriggers {
		action := "BEGIN SELECT RAISE(ABORT, '" + message + "'); END"
		if d.isPostgres() {
			action = "FOR EACH ROW EXECUTE FUNCTION safelight_moving_files()"
		}
		list = append(list, "CREATE TRIGGER "+fileTrigger(t)+" BEFORE "+t[1]+" ON "+quoted(t[0])+" "+action)
	}
	return list
}

func startingFiles(d Database) (list []string) {
	for _, t := range fileTriggers {
		statement := "DROP TRIGGER IF EXISTS " + fileTrigger(t)
		if d.isPostgres() {
			statement += " ON " + quoted(t[0])
		}
		list = append(list, statement)
	}
	if d.isPostgres() {
		list = append(list, "DROP FUNCTION IF EXISTS safelight_moving_files()")
	}
	return list
}
