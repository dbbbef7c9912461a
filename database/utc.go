package database

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
)

// utcDriver is an ent driver that converts times to UTC. SQLite stores a time as text with the offset of its
// zone, and compares times as texts.
type utcDriver struct {
	*entsql.Driver
	pool *sql.DB
}

func newUTCDriver(pool *sql.DB, dialect string) utcDriver {
	d := utcDriver{entsql.OpenDB(dialect, pool), pool}
	d.ExecQuerier = utcQuerier{pool}
	return d
}

// Tx starts a transaction.
func (d utcDriver) Tx(ctx context.Context) (dialect.Tx, error) { return d.BeginTx(ctx, nil) }

// BeginTx starts a transaction with options.
func (d utcDriver) BeginTx(ctx context.Context, o *sql.TxOptions) (dialect.Tx, error) {
	tx, err := d.pool.BeginTx(ctx, o)
	if err != nil {
		return nil, err
	}
	return &entsql.Tx{Conn: entsql.Conn{ExecQuerier: utcQuerier{tx}}, Tx: tx}, nil
}

// Close closes the pool.
func (d utcDriver) Close() error { return d.pool.Close() }

// utcQuerier is a pool or a transaction.
type utcQuerier struct{ entsql.ExecQuerier }

// ExecContext implements entsql.ExecQuerier.
func (q utcQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return q.ExecQuerier.ExecContext(ctx, query, utcList(args)...)
}

// QueryContext implements entsql.ExecQuerier.
func (q utcQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return q.ExecQuerier.QueryContext(ctx, query, utcList(args)...)
}

// utcList returns a copy of the arguments with times in UTC.
func utcList(args []any) []any {
	list := slices.Clone(args)
	for i, a := range list {
		switch a := a.(type) {
		case time.Time:
			list[i] = a.UTC()
		case *time.Time:
			if a != nil {
				list[i] = a.UTC()
			}
		}
	}
	return list
}
