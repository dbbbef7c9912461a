package leases

import (
	"context"
	"database/sql/driver"
	"errors"
)

// brokenConnector is a database that cannot be reached.
type brokenConnector struct{}

func (brokenConnector) Connect(context.Context) (driver.Conn, error) {
	return nil, errors.New("no connection")
}

func (brokenConnector) Driver() driver.Driver { return nil }
