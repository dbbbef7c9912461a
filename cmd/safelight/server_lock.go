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

// lockPatience is how long a start waits for the server before it to end, such as one that was just killed.
const lockPatience = 3 * time.Second

// serverLock is held by the server that uses a SQLite database. The kernel releases it with the process, however that
// ends. Commands that run beside a server do not take it.
type serverLock struct {
	file *os.File
	log  *slog.Logger
}

// lockServer takes the lock of the SQLite database: a file beside it, which says who holds it. It returns an error
// that names the other server if there is one.
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
	for end := time.Now().Add(lockPatience); ; {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			l.describe(s.Listen)
			return l, nil
		case err == syscall.EINTR:
			continue
		case err != syscall.EWOULDBLOCK: // some network file systems have no locks
			log.Warn("the lock of the database cannot be taken, so a second server on it would go unnoticed", "file",
				file.Name(), "error", err)
			return l, nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			holder, _ := io.ReadAll(io.LimitReader(file, 1000)) // empty: it has the lock since a moment ago
			file.Close()
			return nil, fmt.Errorf("another server uses the database %s: %s. Stop it first, or give this one a "+
				"data folder of its own with --data; "+
				"several servers on the same files need PostgreSQL (docs/scaling.md)", database,
				strings.TrimSpace(string(holder)))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// describe writes who holds the lock, for the message of another server.
func (l *serverLock) describe(address string) {
	host, _ := os.Hostname() // the number of a process means something on one machine, or in one container
	text := fmt.Sprintf("process %d on %s, address %s\n", os.Getpid(), host, address)
	_, err := l.file.WriteAt([]byte(text), 0)
	if err = errors.Join(err, l.file.Truncate(int64(len(text)))); err != nil {
		l.log.Warn("the lock of the database does not say who holds it", "error", err)
	}
}

// Close releases the lock. The file stays: removing it would let a second server lock another file of the name.
func (l *serverLock) Close() error { return l.file.Close() }
