package database

import (
	"context"
	"database/sql"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// utcDriver is ent's driver with times in UTC: SQLite stores a time as text with the offset of its zone, and compares
// texts.
type utcDriver struct{ *entsql.Driver }

// Exec calls Exec of the driver.
func (d utcDriver) Exec(ctx context.Context, query string, args, v any) error {
	return d.Driver.Exec(ctx, query, inUTC(args), v)
}

// Query calls Query of the driver.
func (d utcDriver) Query(ctx context.Context, query string, args, v any) error {
	return d.Driver.Query(ctx, query, inUTC(args), v)
}

// ExecContext calls ExecContext of the connection pool.
func (d utcDriver) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return d.Driver.ExecContext(ctx, query, utcList(args)...)
}

// QueryContext calls QueryContext of the connection pool.
func (d utcDriver) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return d.Driver.QueryContext(ctx, query, utcList(args)...)
}

// Tx starts a transaction.
func (d utcDriver) Tx(ctx context.Context) (dialect.Tx, error) { return d.BeginTx(ctx, nil) }

// BeginTx starts a transaction with options.
func (d utcDriver) BeginTx(ctx context.Context, o *sql.TxOptions) (dialect.Tx, error) {
	tx, err := d.Driver.BeginTx(ctx, o)
	if err != nil {
		return nil, err
	}
	return utcTx{tx.(*entsql.Tx)}, nil
}

// utcTx is a transaction of utcDriver.
type utcTx struct{ *entsql.Tx }

// Exec calls Exec of the transaction.
func (t utcTx) Exec(ctx context.Context, query string, args, v any) error {
	return t.Tx.Exec(ctx, query, inUTC(args), v)
}

// Query calls Query of the transaction.
func (t utcTx) Query(ctx context.Context, query string, args, v any) error {
	return t.Tx.Query(ctx, query, inUTC(args), v)
}

// ExecContext calls ExecContext of the transaction.
func (t utcTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return t.Tx.ExecContext(ctx, query, utcList(args)...)
}

// QueryContext calls QueryContext of the transaction.
func (t utcTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return t.Tx.QueryContext(ctx, query, utcList(args)...)
}

// inUTC is utcList of the arguments in the form that ent passes them.
func inUTC(args any) any {
	if list, ok := args.([]any); ok {
		return utcList(list)
	}
	return args
}

// utcList returns the arguments with times in UTC. It changes none of them.
func utcList(args []any) []any {
	var list []any
	for i, a := range args {
		var t time.Time
		switch a := a.(type) {
		case time.Time:
			t = a
		case *time.Time:
			if a == nil {
				continue
			}
			t = *a
		default:
			continue
		}
		if list == nil {
			list = append(list, args...)
		}
		list[i] = t.UTC()
	}
	if list == nil {
		return args
	}
	return list
}
