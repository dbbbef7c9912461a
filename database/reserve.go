package database

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The sizes of a Reserve, in bytes, and the interval between checks of the free space.
const (
	reserveBytes = 8 << 20   // two write-ahead logs of SQLite at their usual size
	reserveSlice = 256 << 10 // freed at a time: enough for some writes, too little for an upload to use up
	minFree      = 1 << 20   // the disk counts as full below this
	freeInterval = time.Second
)

// Reserve is a file that reserves disk space for writes that must work on a full disk: logins, logouts and
// deletions. If such a write fails because the disk is full, the file shrinks by a slice and the write is
// retried. While the disk is full or the file is not at its full size, other writes are rejected, so that
// they do not use up the freed space. The file grows again once there is space. It is safe for concurrent
// use.
type Reserve struct {
	mu      sync.Mutex
	file    *os.File
	size    int64
	looked  time.Time
	failure error
}

// OpenReserve opens the reserve in a file. It creates the file if it does not exist. If the disk is full, the
// file is smaller. The caller closes the reserve; the file remains.
func OpenReserve(name string) (*Reserve, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder of the reserve: %w", err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the reserve: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("opening the reserve: %w", err)
	}
	r := &Reserve{file: f, size: info.Size()}
	_ = r.Err() // fills the file
	return r, nil
}

// Close closes the file.
func (r *Reserve) Close() error { return r.file.Close() }

// Err returns fault.Unavailable with RetryAfter while the disk is full or the reserve is not at its full
// size.
func (r *Reserve) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.looked) >= freeInterval {
		r.looked, r.failure = now, r.refill()
	}
	return r.failure
}

// refill grows the file to its full size, if the disk has enough space.
func (r *Reserve) refill() error {
	var disk syscall.Statfs_t
	if err := syscall.Fstatfs(int(r.file.Fd()), &disk); err != nil {
		return nil // the file system does not report it
	}
	if disk.Blocks == 0 {
		return nil // some network file systems report 0
	}
	free := int64(disk.Bavail) * int64(disk.Bsize)
	missing := reserveBytes - r.size
	if free < minFree+max(missing, 0) {
		return full(fmt.Errorf("%d bytes are free", free))
	}
	if missing <= 0 {
		return nil
	}
	// Random bytes, which no file system can compress.
	n, err := io.Copy(io.NewOffsetWriter(r.file, r.size), io.LimitReader(rand.Reader, missing))
	r.size += n
	if err != nil {
		return full(err)
	}
	return nil
}

// Release frees a slice. It returns false if the file is empty.
func (r *Reserve) Release() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := max(r.size-reserveSlice, 0)
	if r.size == 0 || r.file.Truncate(size) != nil {
		return false
	}
	r.size, r.looked, r.failure = size, time.Now(), full(errors.New("the reserve is in use"))
	return true
}

type essentialKey struct{}

// Essential returns a context whose writes may use the reserve, because they free space or log somebody in or out.
func Essential(ctx context.Context) context.Context {
	return context.WithValue(ctx, essentialKey{}, true)
}

// RetryOnFullDisk calls do. If ctx is from Essential, it calls do again each time that the disk was full and
// the reserve freed a slice. do must be idempotent.
func (db *DB) RetryOnFullDisk(ctx context.Context, do func() error) error {
	err := do()
	if db.reserve == nil || ctx.Value(essentialKey{}) == nil {
		return err
	}
	// SQLite reports an I/O error if the index of its write-ahead log cannot grow.
	full := func() bool { return err != nil && (IsFull(err) || strings.Contains(err.Error(), "disk I/O error")) }
	for full() && ctx.Err() == nil && db.reserve.Release() {
		err = do()
	}
	return err
}

// Admit returns fault.Unavailable if a write with ctx must not start, because the database is missing, or
// because the disk is full and the write is not essential.
func (db *DB) Admit(ctx context.Context) error {
	if db.present != nil {
		if err := db.present(); err != nil {
			return err
		}
	}
	if db.reserve == nil || ctx.Value(essentialKey{}) != nil {
		return nil
	}
	return db.reserve.Err()
}
