package database

import (
	"context"
	"database/sql"
	"errors"
)

// Querier runs statements: a *DB, or the client of a transaction.
type Querier interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// Rows returns all rows of a statement; never nil without an error. columns returns pointers to the variables in a
// row that receive its columns.
func Rows[T any](
	ctx context.Context, db Querier, statement string, args []any, columns func(row *T) []any,
) ([]T, error) {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, Translate(err)
	}
	defer rows.Close()
	list := []T{}
	var row, none T
	into := columns(&row)
	for rows.Next() {
		row = none
		if err := rows.Scan(into...); err != nil {
			return nil, Translate(err)
		}
		list = append(list, row)
	}
	return list, Translate(rows.Err())
}

// Row stores the columns of the first row of a statement in variables. Without a row, they keep their values.
func Row(ctx context.Context, db Querier, statement string, args []any, into ...any) error {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return Translate(err)
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(into...)
	}
	return Translate(errors.Join(err, rows.Err()))
}
