package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lockTimeout is how long a start waits for the previous server to end, for example one that was just killed.
const lockTimeout = 3 * time.Second

// serverLock is held by the server that uses a data folder and, on SQLite, a database. The data folder contains the
// cached results, whose size a server tracks on the assumption that it is alone, and the position of this server in
// the log of purges. The kernel releases the lock when the process ends. Commands, which may run beside a server, do
// not take it.
type serverLock struct {
	files []*os.File
	log   *slog.Logger
}

// lockServer locks the data folder and the SQLite database, each with a file that says who holds the lock. If another
// server holds one of them, the error names that server.
func lockServer(ctx context.Context, s *Settings, log *slog.Logger) (_ *serverLock, err error) {
	l := &serverLock{log: log}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	if !s.usesPostgres() {
		database, err := sqliteFile(s)
		if err != nil {
			return nil, err
		}
		if err := l.take(ctx, database+".lock", "database "+database,
			"; several servers on the same files need PostgreSQL (docs/guides/scaling.md)"); err != nil {
			return nil, err
		}
	}
	data, err := filepath.Abs(s.Data)
	if err != nil {
		return nil, err
	}
	if err := l.take(ctx, filepath.Join(data, "safelight.lock"), "data folder "+data,
		" (docs/guides/scaling.md)"); err != nil {
		return nil, err
	}
	l.describe(s.Listen)
	return l, nil
}

// take locks a file. If another server holds it, the error says what that server uses, followed by advice.
func (l *serverLock) take(ctx context.Context, name, what, advice string) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the lock of the %s: %w", what, err)
	}
	l.files = append(l.files, file)
	for end := time.Now().Add(lockTimeout); ; {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case err == syscall.EINTR:
			continue
		case err != syscall.EWOULDBLOCK: // some network file systems do not support locks
			l.log.Warn("a file cannot be locked, so a second server on the same data would not be noticed", "file",
				name, "error", err)
			return nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			holder, _ := io.ReadAll(io.LimitReader(file, 1000)) // empty if that server has only just taken the lock
			return fmt.Errorf("another server uses the %s: %s. Stop it first, or give this one a data folder of its "+
				"own with --data%s", what, strings.TrimSpace(string(holder)), advice)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// describe writes who holds the lock, for the error message of another server.
func (l *serverLock) describe(address string) {
	host, _ := os.Hostname() // process ids are unique only within one machine or container
	text := fmt.Sprintf("process %d on %s, address %s\n", os.Getpid(), host, address)
	for _, file := range l.files {
		_, err := file.WriteAt([]byte(text), 0)
		if err = errors.Join(err, file.Truncate(int64(len(text)))); err != nil {
			l.log.Warn("a lock file cannot be written", "file", file.Name(), "error", err)
		}
	}
}

// Close releases the lock. It does not remove the files, because another server may have opened them in order to lock
// them.
func (l *serverLock) Close() error {
	var err error
	for _, file := range l.files {
		err = errors.Join(err, file.Close())
	}
	return err
}
