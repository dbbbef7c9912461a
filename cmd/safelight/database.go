package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	"github.com/lib/pq" // driver "postgres"
	"github.com/mattn/go-sqlite3"

	"github.com/safelight/safelight/database"
)

// sqlitePragmas enable foreign keys, readers concurrent with a writer, and taking the write lock at the start of a
// transaction. Without the latter, concurrent writers fail instead of waiting. With mode=rw, opening a connection
// after the file was moved away fails instead of creating an empty file. Each connection caches prepared statements,
// because preparing the update of a file, which has triggers, takes longer than running it.
const sqlitePragmas = "mode=rw&_fk=1&_journal_mode=WAL&_busy_timeout=10000&_synchronous=NORMAL&_txlock=immediate" +
	"&_stmt_cache_size=64"

// maxConnections is the max number of connections to the database. Waiting for one cannot deadlock, because a waiting
// request holds no connection.
const maxConnections = 20

// openDatabase opens the database of the settings and pings it. The second result is ent's dialect.
func openDatabase(ctx context.Context, s *Settings) (*sql.DB, string, error) {
	driver, dsn, err := dataSource(s)
	if err != nil {
		return nil, "", explainData(s, err)
	}
	open := func(dsn string) (*sql.DB, error) { return sql.Open(driver, dsn) }
	if driver == dialect.Postgres {
		open = database.OpenPostgres
	}
	db, err := open(dsn)
	if err != nil {
		return nil, "", fmt.Errorf("opening the database: %w", err)
	}
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxConnections) // opening a connection costs more than a query
	if driver == dialect.SQLite {
		db.SetConnMaxIdleTime(time.Minute) // each connection has a page cache
	}
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		what := "does not answer"
		if refused := (*pq.Error)(nil); errors.As(err, &refused) {
			what = "refuses the connection"
		}
		return nil, "", explainRefusal(fmt.Errorf("the database %s %s: %w", databasePlace(s), what, err))
	}
	if driver == dialect.Postgres {
		empty, err := database.IsNewPostgres(ctx, db)
		switch {
		case err == nil && empty && s.existing:
			err = fmt.Errorf("the database %s is empty: correct the setting database, or start a server with "+
				"safelight serve", databasePlace(s))
		case err == nil && empty:
			err = refuseNew(s)
		}
		if err != nil {
			db.Close()
			return nil, "", err
		}
	}
	return db, driver, nil
}

// explainRefusal adds advice to err if PostgreSQL refuses the user or the database, or disagrees with the setting
// database about TLS, which lib/pq requires by default, or if the file of SQLite is damaged.
func explainRefusal(err error) error {
	var refused *pq.Error
	errors.As(err, &refused)
	var file sqlite3.Error
	errors.As(err, &file)
	switch {
	case file.Code == sqlite3.ErrCorrupt || file.Code == sqlite3.ErrNotADB:
		return fmt.Errorf("%w. The file is damaged, or belongs to another program: correct the setting database, or "+
			"restore a backup (docs/guides/backup.md#restore)", err)
	case refused != nil && refused.Code == "28P01":
		return fmt.Errorf("%w. Check the user and the password in the setting database", err)
	case refused != nil && refused.Code == "3D000":
		return fmt.Errorf("%w. Create the database, or correct its name in the setting database", err)
	case errors.Is(err, pq.ErrSSLNotSupported):
		return fmt.Errorf("%w. Add the parameter sslmode to the setting database: ?sslmode=prefer connects with "+
			"TLS if the server supports it, ?sslmode=disable never does; or turn on ssl in PostgreSQL", err)
	case refused != nil && refused.Code == "28000" && strings.Contains(refused.Message, "no encryption"):
		return fmt.Errorf("%w. The server may accept only connections with TLS: set sslmode=require in the setting "+
			"database, or allow connections without TLS in pg_hba.conf", err)
	}
	return err
}

// dataSource returns the driver, which is also ent's dialect, and the DSN.
func dataSource(s *Settings) (driver, dsn string, err error) {
	if s.usesPostgres() {
		address, err := postgresAddress(s.Database)
		return dialect.Postgres, address, err
	}
	file, err := sqliteFile(s)
	if err != nil {
		return "", "", err
	}
	if empty, err := isNewFile(file); err != nil {
		return "", "", fmt.Errorf("opening the database: %w", err)
	} else if empty {
		if err := refuseNew(s); err != nil {
			return "", "", err
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", "", fmt.Errorf("creating the database's folder: %w", err)
	}
	// SQLite would create a file that everyone can read. The journal gets the mode of the database.
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", "", fmt.Errorf("opening the database: %w", err)
	}
	if err := f.Close(); err != nil {
		return "", "", fmt.Errorf("opening the database: %w", err)
	}
	return dialect.SQLite, "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + sqlitePragmas, nil
}

// postgresAddress adds a connection timeout of ten seconds, unless the address has one or PGCONNECT_TIMEOUT is set.
// Without a timeout, a start would hang if the database accepts connections but does not respond.
func postgresAddress(database string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", errors.New("setting database: it is not a URL") // the cause would contain the password
	}
	if u.Query().Has("connect_timeout") || os.Getenv("PGCONNECT_TIMEOUT") != "" {
		return database, nil
	}
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += "connect_timeout=10"
	return u.String(), nil
}

// usesPostgres reports whether the database is PostgreSQL; otherwise it is a SQLite file.
func (s *Settings) usesPostgres() bool { return strings.HasPrefix(s.Database, "postgres") }

// sqliteFile returns the absolute path of the SQLite file.
func sqliteFile(s *Settings) (string, error) {
	file := filepath.Join(s.Data, "safelight.db")
	if s.Database != "" {
		u, err := url.Parse(s.Database)
		if err != nil {
			return "", errors.New("setting database: it is not a URL") // the cause would contain the password
		}
		file = u.Path
	}
	return filepath.Abs(file)
}

// databasePlace returns the URL of the database without its password, or the path of the SQLite file.
func databasePlace(s *Settings) string {
	if s.usesPostgres() {
		return maskURL(s.Database)
	}
	file, err := sqliteFile(s)
	if err != nil {
		return s.Database
	}
	return file
}
