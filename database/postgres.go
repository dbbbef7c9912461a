package database

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/lib/pq"
)

// OpenPostgres returns a pool of connections to a PostgreSQL database, which it does not connect to yet. Statements are
// not compiled: PostgreSQL overestimates those that walk folders, and compiles for a second what takes milliseconds.
func OpenPostgres(address string) (*sql.DB, error) {
	c, err := pq.NewConnector(address)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(uncompiled{c}), nil
}

type uncompiled struct{ *pq.Connector }

// Connect implements driver.Connector. It sends a statement, because PgBouncer refuses unknown parameters of a
// connection.
func (u uncompiled) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := u.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.(driver.ExecerContext).ExecContext(ctx, "SET jit = off", nil); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
