package database

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/lib/pq"
)

// OpenPostgres returns a pool of connections to a PostgreSQL database. It does not connect yet. It turns off
// JIT compilation, because PostgreSQL overestimates the cost of statements that walk folders, and compiles
// them for a second although they take milliseconds.
func OpenPostgres(address string) (*sql.DB, error) {
	c, err := pq.NewConnector(address)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(uncompiled{c}), nil
}

type uncompiled struct{ *pq.Connector }

// Connect implements driver.Connector. It sends a statement instead of a connection parameter, because
// PgBouncer rejects unknown parameters.
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
