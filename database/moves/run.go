package moves

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"entgo.io/ent/dialect"
)

// End describes one end of a move.
type End struct {
	Postgres string // URL; empty for SQLite
	File     string // absolute path of the SQLite file
	Place    string // address without a password, for messages
}

// partSuffix is the suffix of an incomplete SQLite file.
const partSuffix = ".moving"

// Pragmas of SQLite. Reads must not block other readers, and an incomplete copy need not survive a crash.
const (
	readPragmas = "mode=rw&_fk=1&_busy_timeout=30000"
	fillPragmas = "mode=rw&_fk=1&_journal_mode=MEMORY&_synchronous=OFF&_cache_size=-65536"
)

// Run moves a whole database: it blocks changes of the old one (Begin), copies and verifies (Copy), and marks
// the old one as moved (Finish). After an interruption, another run continues the move. It starts copying
// again, because an incomplete copy is never kept. If Run returns an error, the old database is unchanged. It rejects
// changes until the move is completed, or canceled by CancelRun. A run that finds the new database unusable does not
// block changes.
func Run(ctx context.Context, from, to End, report Progress) ([]Table, error) {
	if from.Postgres == to.Postgres && from.File == to.File {
		return nil, fmt.Errorf("%s cannot be moved to itself", from.Place)
	}
	source, err := from.open(ctx, from.File, readPragmas)
	if err != nil {
		return nil, err
	}
	defer source.DB.Close()
	m, err := readMark(ctx, source, source.DB, ofDatabase)
	if err != nil {
		return nil, err
	}
	if m == nil || m.state != leaving { // a wrong address must not block changes
		if err := to.check(ctx); err != nil {
			return nil, err
		}
	}
	id, err := Begin(ctx, source, to.Place)
	if err != nil {
		return nil, err
	}
	list, err := to.receive(ctx, source, id, report)
	if err != nil {
		return nil, err
	}
	return list, Finish(ctx, source, id)
}

// CancelRun is Cancel for a database that is not open.
func CancelRun(ctx context.Context, from End) error {
	d, err := from.open(ctx, from.File, readPragmas)
	if err != nil {
		return err
	}
	defer d.DB.Close()
	return Cancel(ctx, d)
}

func (e End) open(ctx context.Context, file, pragmas string) (Database, error) {
	d := Database{Dialect: dialect.Postgres, Place: e.Place}
	address := e.Postgres
	if address == "" {
		d.Dialect, address = dialect.SQLite, "file:"+(&url.URL{Path: file}).EscapedPath()+"?"+pragmas
	}
	var err error
	if d.DB, err = sql.Open(d.Dialect, address); err != nil {
		return d, fmt.Errorf("opening %s: %w", e.Place, err)
	}
	if err := d.DB.PingContext(ctx); err != nil {
		d.DB.Close()
		return d, fmt.Errorf("%s does not answer: %w", e.Place, err)
	}
	return d, nil
}

// check returns an error if no move to this end can begin.
func (e End) check(ctx context.Context) error {
	if e.Postgres == "" {
		there, err := e.hasFile()
		if err == nil && there {
			err = fmt.Errorf("%s exists: name a new file", e.Place)
		}
		if err != nil {
			return err
		}
		return e.checkFolder()
	}
	d, err := e.open(ctx, "", "")
	if err != nil {
		return err
	}
	defer d.DB.Close()
	return mayArrive(ctx, d)
}

// hasFile reports whether the SQLite file exists and is not empty.
func (e End) hasFile() (bool, error) {
	info, err := os.Stat(e.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("the new database: %w", err)
	}
	return err == nil && info.Size() > 0, nil
}

// checkFolder creates the folder of the SQLite file, in which nothing may belong to another database.
func (e End) checkFolder() error {
	for _, suffix := range []string{"-wal", "-journal"} { // SQLite would treat them as a part of the copy
		if _, err := os.Lstat(e.File + suffix); err == nil {
			return fmt.Errorf("%s%s belongs to another database: move it away", e.File, suffix)
		}
	}
	if err := os.MkdirAll(filepath.Dir(e.File), 0o700); err != nil {
		return fmt.Errorf("making the folder of the new database: %w", err)
	}
	return nil
}

// receive copies to this end, unless an earlier run has already completed the copy.
func (e End) receive(ctx context.Context, from Database, id string, report Progress) ([]Table, error) {
	if e.Postgres == "" {
		return e.receiveFile(ctx, from, id, report)
	}
	to, err := e.open(ctx, "", "")
	if err != nil {
		return nil, err
	}
	defer to.DB.Close()
	if there, err := Arrived(ctx, to, id); err != nil || there {
		return nil, err
	}
	return Copy(ctx, from, to, id, report)
}

// receiveFile copies to a file with a temporary name, and renames it once the copy is complete.
func (e End) receiveFile(ctx context.Context, from Database, id string, report Progress) ([]Table, error) {
	there, err := e.hasFile()
	if err != nil {
		return nil, err
	}
	if there {
		return nil, e.hasArrived(ctx, id)
	}
	if err := e.checkFolder(); err != nil {
		return nil, err
	}
	part := e.File + partSuffix
	held, err := os.OpenFile(part, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making the new database: %w", err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, fmt.Errorf("another move to %s is running (%w)", e.Place, err)
	}
	if err := held.Truncate(0); err != nil {
		return nil, fmt.Errorf("emptying %s: %w", part, err)
	}
	list, err := e.fill(ctx, part, from, id, report)
	if err != nil {
		return nil, errors.Join(err, os.Remove(part))
	}
	if err := errors.Join(held.Sync(), os.Rename(part, e.File), syncFolder(filepath.Dir(e.File))); err != nil {
		return nil, fmt.Errorf("completing %s: %w", e.Place, err)
	}
	return list, nil
}

// fill copies to an empty file.
func (e End) fill(
	ctx context.Context,
	file string,
	from Database,
	id string,
	report Progress,
) (list []Table, err error) {
	to, err := e.open(ctx, file, fillPragmas)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.DB.Close()) }()
	to.DB.SetMaxOpenConns(1)
	return Copy(ctx, from, to, id, report)
}

// hasArrived returns an error unless the file is the copy of this move.
func (e End) hasArrived(ctx context.Context, id string) error {
	d, err := e.open(ctx, e.File, readPragmas)
	if err != nil {
		return err
	}
	defer d.DB.Close()
	there, err := Arrived(ctx, d, id)
	if err == nil && !there {
		err = fmt.Errorf("%s exists: name a new file", e.Place)
	}
	return err
}

// syncFolder makes renames in a folder durable.
func syncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
