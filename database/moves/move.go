// Package moves copies a whole database to another one, SQLite to PostgreSQL or back, while servers that use
// the old one continue to answer reads. The old database rejects changes from the start of the move, and the
// new one cannot be used before it was copied and verified completely. So nothing is lost if a move is
// interrupted (docs/contributing/decisions/0021).
package moves

import (
	"context"
	"database/sql"
	"fmt"

	"entgo.io/ent/dialect"
	"github.com/safelight/safelight/database"
)

// Database is one end of a move.
type Database struct {
	DB      *sql.DB
	Dialect string // ent's name
	Place   string // its address without a password, for messages
}

func (d Database) isPostgres() bool { return d.Dialect == dialect.Postgres }

// Table is the result of copying one table.
type Table struct {
	Name string
	Rows int64
	Sum  Sum
}

// Progress is called with the number of copied rows of a table, several times for a large table. done is true
// once the table is complete.
type Progress func(table string, rows int64, done bool)

// Copy copies all tables to an empty database. It first creates the current schema there. It then verifies
// the copy: the counts and checksums of the rows that it reads back must match the source. id is the result
// of Begin. The copy becomes visible as a whole. After an error or a crash, PostgreSQL discards the copy, and
// the caller removes the SQLite file.
func Copy(ctx context.Context, from, to Database, id string, report Progress) ([]Table, error) {
	release, err := prepare(ctx, to, id, from.Place)
	if err != nil {
		return nil, err
	}
	defer release()
	source, err := from.DB.BeginTx(ctx, &sql.TxOptions{Isolation: snapshot(from), ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", from.Place, err)
	}
	defer source.Rollback()
	target, err := to.DB.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", to.Place, err)
	}
	defer target.Rollback()
	c := &copying{from: from, to: to, source: source, target: target, report: report}
	list, err := c.all(ctx)
	if err != nil {
		return nil, err
	}
	if err := stillFrozen(ctx, from, from.DB, id); err != nil {
		return nil, err
	}
	if err := c.marks(ctx); err != nil {
		return nil, fmt.Errorf("marking %s as complete: %w", to.Place, err)
	}
	if err := target.Commit(); err != nil {
		return nil, fmt.Errorf("committing the copy in %s: %w", to.Place, err)
	}
	return list, nil
}

// marks records in the target that the copy is complete, and where the files were moved to.
func (c *copying) marks(ctx context.Context) error {
	files, err := readMark(ctx, c.from, c.source, ofFiles)
	if err != nil {
		return err
	}
	if files != nil {
		if err := writeMark(ctx, c.target, *files); err != nil {
			return err
		}
	}
	return runAll(ctx, c.target, setState(arriving, arrived))
}

// snapshot returns the isolation level at which all tables are read at the same point in time.
func snapshot(d Database) sql.IsolationLevel {
	if d.isPostgres() {
		return sql.LevelRepeatableRead
	}
	return sql.LevelDefault
}

// prepare checks that the target is empty, marks it as incomplete, and creates its tables. It holds a lock
// until release is called.
func prepare(ctx context.Context, to Database, id, from string) (release func(), err error) {
	if release, err = lock(ctx, to); err != nil {
		return nil, err
	}
	if err = occupy(ctx, to, id, from); err != nil {
		release()
	}
	return release, err
}

func occupy(ctx context.Context, to Database, id, from string) error {
	if err := mayArrive(ctx, to); err != nil {
		return err
	}
	err := change(
		ctx, to,
		func(tx session) error { return writeMark(ctx, tx, mark{id: id, state: arriving, other: from}) },
	)
	if err != nil {
		return fmt.Errorf("marking %s as incomplete: %w", to.Place, err)
	}
	if err := database.Migrate(ctx, to.DB, to.Dialect); err != nil {
		return fmt.Errorf("making the tables of %s: %w", to.Place, err)
	}
	return nil
}

// mayArrive returns an error unless a database is empty, or an incomplete copy.
func mayArrive(ctx context.Context, to Database) error {
	m, err := readMark(ctx, to, to.DB, ofDatabase)
	switch {
	case err != nil:
		return err
	case m == nil:
		return isNew(ctx, to)
	case m.state != arriving:
		return fmt.Errorf("%s holds a database that was moved from or to %s: expected an empty database", to.Place,
			m.other)
	}
	return nil
}

// isNew returns an error if a database contains our tables.
func isNew(ctx context.Context, d Database) error {
	there, err := hasTable(ctx, d, d.DB, "goose_db_version")
	if err == nil && there {
		err = fmt.Errorf("%s is not empty, expected an empty database", d.Place)
	}
	return err
}

// lock prevents a second move to a PostgreSQL database. For a SQLite file, receiveFile takes the lock.
func lock(ctx context.Context, d Database) (release func(), err error) {
	if !d.isPostgres() {
		return func() {}, nil
	}
	moveLock := database.LockNumber("safelight move")
	conn, err := d.DB.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", d.Place, err)
	}
	var got bool
	err = conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", moveLock).Scan(&got)
	if err == nil && !got {
		err = fmt.Errorf("another move to %s is running", d.Place)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return func() {
		// The lock also ends with the connection.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", moveLock)
		conn.Close()
	}, nil
}

// copying is a copy in progress, with its two transactions.
type copying struct {
	from, to       Database
	source, target *sql.Tx
	report         Progress
}

func (c *copying) all(ctx context.Context) ([]Table, error) {
	w := writerOf(c.to, c.target)
	var list []Table
	for _, t := range tables() {
		if err := w.begin(ctx, t); err != nil {
			return nil, fmt.Errorf("preparing the table %s: %w", t.Name, err)
		}
		// A migration may have inserted rows.
		if err := runAll(ctx, c.target, "DELETE FROM "+quoted(t.Name)); err != nil {
			return nil, fmt.Errorf("emptying the table %s: %w", t.Name, err)
		}
		done, err := c.table(ctx, w, t)
		if err != nil {
			return nil, fmt.Errorf("copying the table %s: %w", t.Name, err)
		}
		if err := w.end(ctx, t); err != nil {
			return nil, fmt.Errorf("completing the table %s: %w", t.Name, err)
		}
		if err := c.numbers(ctx, w, t); err != nil {
			return nil, fmt.Errorf("the next number of the table %s: %w", t.Name, err)
		}
		c.report(t.Name, done.Rows, true)
		list = append(list, done)
	}
	if err := w.index(ctx); err != nil {
		return nil, fmt.Errorf("indexing words for the search: %w", err)
	}
	return list, c.verify(ctx, list)
}

// reportEvery is the number of rows between two progress reports.
const reportEvery = 100_000

// table copies the rows of one table.
func (c *copying) table(ctx context.Context, w writer, t table) (done Table, err error) {
	done.Name = t.Name
	var there int64
	if err := c.target.QueryRowContext(ctx, "SELECT count(*) FROM "+quoted(t.Name)).Scan(&there); err != nil {
		return done, err
	}
	if there > 0 {
		return done, fmt.Errorf("the target has %d rows, expected none", there)
	}
	put, err := w.rows(ctx, t)
	if err != nil {
		return done, err
	}
	done.Rows, done.Sum, err = eachRow(ctx, c.source, t, func(n int64, row []any) error {
		if n%reportEvery == 0 {
			c.report(t.Name, n, false)
		}
		return put.add(ctx, row)
	})
	if e := put.close(ctx, err == nil); err == nil {
		err = e
	}
	return done, err
}

// numbers makes the ids of a table continue after the last id of the source, so that no id is reused.
func (c *copying) numbers(ctx context.Context, w writer, t table) error {
	for _, column := range t.Columns {
		if !column.Increment {
			continue
		}
		last, err := lastNumber(ctx, c.from, c.source, t.Name, column.Name)
		if err != nil {
			return err
		}
		if err := w.continueAt(ctx, t.Name, column.Name, last); err != nil {
			return err
		}
	}
	return nil
}

// verify reads the copy back.
func (c *copying) verify(ctx context.Context, list []Table) error {
	for i, t := range tables() {
		rows, sum, err := eachRow(ctx, c.target, t, func(int64, []any) error { return nil })
		if err != nil {
			return fmt.Errorf("verifying the table %s: %w", t.Name, err)
		}
		if rows != list[i].Rows || sum != list[i].Sum {
			return fmt.Errorf(
				"the copy of the table %s differs: %d rows with the checksum %s, expected %d with %s", t.Name,
				rows, sum, list[i].Rows, list[i].Sum,
			)
		}
	}
	return nil
}

// Digest returns the count and the checksum of every table, in the order of the copy.
func Digest(ctx context.Context, d Database) ([]Table, error) {
	tx, err := d.DB.BeginTx(ctx, &sql.TxOptions{Isolation: snapshot(d), ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	var list []Table
	for _, t := range tables() {
		rows, sum, err := eachRow(ctx, tx, t, func(int64, []any) error { return nil })
		if err != nil {
			return nil, fmt.Errorf("reading the table %s: %w", t.Name, err)
		}
		list = append(list, Table{t.Name, rows, sum})
	}
	return list, nil
}
