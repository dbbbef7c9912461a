package moves

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// writer fills the tables of a database. It creates the indexes and triggers of a table once the table is
// full, which is faster than updating them row by row.
type writer interface {
	begin(ctx context.Context, t table) error
	rows(ctx context.Context, t table) (rowWriter, error)
	end(ctx context.Context, t table) error
	continueAt(ctx context.Context, table, column string, last int64) error // last is 0 if no number was assigned yet
	// index is called after all tables. On SQLite, it creates the words and counts.
	index(ctx context.Context) error
}

// rowWriter writes rows. add takes values of convert. close discards the rows unless keep is set.
type rowWriter interface {
	add(ctx context.Context, row []any) error
	close(ctx context.Context, keep bool) error
}

func writerOf(d Database, tx *sql.Tx) writer {
	if d.isPostgres() {
		return &postgresWriter{tx: tx}
	}
	return &sqliteWriter{tx: tx}
}

// statements writes rows with a prepared statement.
type statements struct {
	stmt *sql.Stmt
	copy bool // the statement is COPY, which must be ended by a call without values
}

func (s statements) add(ctx context.Context, row []any) error {
	for i, v := range row {
		if json, ok := v.(document); ok {
			row[i] = string(json)
			if !s.copy {
				row[i] = []byte(json) // as ent stores it
			}
		}
	}
	_, err := s.stmt.ExecContext(ctx, row...)
	return err
}

func (s statements) close(ctx context.Context, keep bool) error {
	var err error
	if s.copy && keep {
		_, err = s.stmt.ExecContext(ctx)
	}
	return errors.Join(err, s.stmt.Close())
}

type postgresWriter struct {
	tx      *sql.Tx
	dropped []string // statements that recreate the indexes of the table
}

func (w *postgresWriter) begin(ctx context.Context, t table) error {
	w.dropped = nil
	// Keep the few indexes of constraints.
	names, err := texts(
		ctx,
		w.tx,
		`SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename = $1
		AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conname = indexname AND c.conrelid = to_regclass(quote_ident(tablename)))`,
		t.Name,
	)
	for i := 0; i < len(names) && err == nil; i += 2 {
		w.dropped = append(w.dropped, names[i+1])
		_, err = w.tx.ExecContext(ctx, "DROP INDEX "+quoted(names[i]))
	}
	return err
}

func (w *postgresWriter) rows(ctx context.Context, t table) (rowWriter, error) {
	stmt, err := w.tx.PrepareContext(ctx, "COPY "+quoted(t.Name)+" ("+columnList(t)+") FROM STDIN")
	return statements{stmt, true}, err
}

func (w *postgresWriter) end(ctx context.Context, t table) error {
	return runAll(ctx, w.tx, append(w.dropped, "ANALYZE "+quoted(t.Name))...)
}

func (w *postgresWriter) continueAt(ctx context.Context, table, column string, last int64) error {
	_, err := w.tx.ExecContext(
		ctx, "SELECT setval(pg_get_serial_sequence($1, $2), $3, $4)", quoted(table), column, max(last, 1),
		last > 0,
	)
	return err
}

func (*postgresWriter) index(context.Context) error { return nil }

type sqliteWriter struct {
	tx      *sql.Tx
	dropped []string // statements that recreate the indexes and triggers of the table
}

func (w *sqliteWriter) begin(ctx context.Context, t table) error {
	w.dropped = nil
	parts, err := texts(
		ctx, w.tx,
		"SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND tbl_name = ? AND sql IS "+
			"NOT NULL",
		t.Name,
	)
	for i := 0; i < len(parts) && err == nil; i += 3 {
		w.dropped = append(w.dropped, parts[i+2])
		_, err = w.tx.ExecContext(ctx, "DROP "+parts[i]+" "+quoted(parts[i+1]))
	}
	return err
}

func (w *sqliteWriter) rows(ctx context.Context, t table) (rowWriter, error) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.Columns)), ", ")
	stmt, err := w.tx.PrepareContext(ctx, "INSERT INTO "+quoted(t.Name)+" ("+columnList(t)+") VALUES ("+marks+")")
	return statements{stmt, false}, err
}

func (w *sqliteWriter) end(ctx context.Context, _ table) error {
	return runAll(ctx, w.tx, w.dropped...)
}

func (w *sqliteWriter) continueAt(ctx context.Context, table, _ string, last int64) error {
	_, err := w.tx.ExecContext(ctx, "DELETE FROM sqlite_sequence WHERE name = ?", table)
	if err == nil && last > 0 {
		_, err = w.tx.ExecContext(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, last)
	}
	return err
}

// index fills the full-text tables from their content tables, and counts the entries, because the triggers
// that do this were dropped during the copy.
func (w *sqliteWriter) index(ctx context.Context) error {
	names, err := texts(
		ctx, w.tx,
		"SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE % USING fts%'",
	)
	for i := 0; i < len(names) && err == nil; i++ {
		_, err = w.tx.ExecContext(ctx, "INSERT INTO "+quoted(names[i])+" ("+quoted(names[i])+") VALUES ('rebuild')")
	}
	if err == nil {
		err = runAll(
			ctx, w.tx, "DELETE FROM entry_counts", "INSERT INTO entry_counts SELECT * FROM entry_counts_now",
			"ANALYZE",
		)
	}
	return err
}

// lastNumber returns the last number that was assigned to a column, or the largest number in it, whichever is
// larger. It returns 0 if there is none.
func lastNumber(ctx context.Context, d Database, tx *sql.Tx, table, column string) (last int64, err error) {
	var largest int64
	query := "SELECT coalesce(max(" + quoted(column) + "), 0) FROM " + quoted(table)
	if err := tx.QueryRowContext(ctx, query).Scan(&largest); err != nil {
		return 0, err
	}
	if !d.isPostgres() {
		err = tx.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?", table).
			Scan(&last)
		return max(last, largest), err
	}
	var sequence string
	err = tx.QueryRowContext(ctx, "SELECT pg_get_serial_sequence($1, $2)", quoted(table), column).Scan(&sequence)
	if err != nil {
		return 0, fmt.Errorf("the column %s has no sequence: %w", column, err)
	}
	// The name is already quoted.
	err = tx.QueryRowContext(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM "+sequence).Scan(&last)
	return max(last, largest), err
}

// texts returns the single text column of a query's rows.
func texts(ctx context.Context, tx *sql.Tx, query string, args ...any) (list []string, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row := make([]string, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		list = append(list, row...)
	}
	return list, rows.Err()
}
