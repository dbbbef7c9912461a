package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"
)

// lockTimeout is how long a start waits for the previous server to end, such as one that was just killed.
const lockTimeout = 3 * time.Second

// serverLock is held by the server that uses a SQLite database. The kernel releases it when the process ends. Commands,
// which may run beside a server, do not take it.
type serverLock struct {
	file *os.File
	log  *slog.Logger
}

// lockServer takes the lock of the SQLite database, a file beside it that says who holds the lock. If another server
// holds it, the error names that server.
func lockServer(ctx context.Context, s *Settings, log *slog.Logger) (*serverLock, error) {
	database, err := sqliteFile(s)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(database+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the database: %w", err)
	}
	l := &serverLock{file, log}
	for end := time.Now().Add(lockTimeout); ; {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			l.describe(s.Listen)
			return l, nil
		case err == syscall.EINTR:
			continue
		case err != syscall.EWOULDBLOCK: // some network file systems have no locks
			log.Warn("the database cannot be locked, so a second server on it would not be noticed", "file",
				file.Name(), "error", err)
			return l, nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			holder, _ := io.ReadAll(io.LimitReader(file, 1000)) // empty if it has just taken the lock
			file.Close()
			return nil, fmt.Errorf("another server uses the database %s: %s. Stop it first, or give this one a "+
				"data folder of its own with --data; several servers on the same files need PostgreSQL "+
				"(docs/guides/scaling.md)", database,
				strings.TrimSpace(string(holder)))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// describe writes who holds the lock, for the error message of another server.
func (l *serverLock) describe(address string) {
	host, _ := os.Hostname() // process ids are only unique on one machine or in one container
	text := fmt.Sprintf("process %d on %s, address %s\n", os.Getpid(), host, address)
	_, err := l.file.WriteAt([]byte(text), 0)
	if err = errors.Join(err, l.file.Truncate(int64(len(text)))); err != nil {
		l.log.Warn("the lock file of the database cannot be written", "error", err)
	}
}

// Close releases the lock. It does not remove the file, because another server might have opened it to lock it.
func (l *serverLock) Close() error { return l.file.Close() }
