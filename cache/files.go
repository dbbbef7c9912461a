package cache

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// files is the tier in a folder. Each entry is a file, named by its key, in one of 256 subfolders. Changing or deleting
// the folder only causes misses.
type files struct {
	fs       filesystem
	folder   string
	maxBytes int64
	log      *slog.Logger
	now      func() time.Time
	index    *index
	scanned  chan struct{} // closed when the entries of earlier runs are in the index
	scan     sync.WaitGroup
	breaker  breaker

	evicted, damaged, failed atomic.Int64
}

const (
	tempName  = "tmp"     // folder of unfinished writes
	touchAge  = time.Hour // max age of a modification time before a hit renews it
	spareDisk = 32 << 20  // free bytes that the cache leaves on the disk, because the database needs them more
)

// errNoSpace is the error of a write to a disk that is nearly full.
var errNoSpace = errors.New("the disk has less than 32 MiB free")

func openFiles(ctx context.Context, c Config) (*files, error) {
	f := &files{fs: c.fs, folder: c.Folder, maxBytes: c.FileBytes, log: c.Log, now: c.Now, index: newIndex(),
		scanned: make(chan struct{})}
	f.breaker = breaker{log: c.Log, what: "result cache: reads and writes of files", now: c.Now}
	if err := f.fs.MkdirAll(filepath.Join(f.folder, tempName)); err != nil {
		return nil, err
	}
	f.scan.Go(func() { f.load(ctx) })
	return f, nil
}

func (f *files) path(k Key) string {
	name := k.String()
	return filepath.Join(f.folder, name[:2], name)
}

// keyOf parses a file name; ok is false if it does not name an entry.
func keyOf(name string) (k Key, ok bool) {
	if len(name) != 2*len(k) {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(name))
	return k, err == nil && k.String() == name
}

// get returns an entry; nil if it does not exist, cannot be read or is damaged. It removes damaged entries.
func (f *files) get(k Key) *Entry {
	name := f.path(k)
	b, err := f.fs.ReadFile(name)
	if err != nil {
		f.index.remove(k)
		if !errors.Is(err, fs.ErrNotExist) {
			f.failed.Add(1)
			f.log.Warn("result cache: a file cannot be read", "file", name, "error", err)
		}
		return nil
	}
	e, err := decode(k, b)
	if err != nil {
		f.damaged.Add(1)
		f.log.Warn("result cache: a damaged file is removed", "file", name)
		f.remove(k)
		return nil
	}
	now := f.now()
	if f.index.use(k, int64(len(b)), e.Sources, now, touchAge) {
		_ = f.fs.Touch(name, now) // this affects only the order of eviction in the next run
	}
	return e
}

// put evicts as much as necessary and writes an entry atomically. A failure trips the circuit breaker.
func (f *files) put(k Key, e *Entry, data []byte) {
	size := int64(len(data))
	if size > f.maxBytes/2 || f.breaker.isOpen() {
		return
	}
	f.evict(f.maxBytes - size)
	if free, ok := f.fs.Free(f.folder); ok && free < spareDisk+size {
		f.breaker.trip(errNoSpace)
		return
	}
	if err := f.write(f.path(k), data); err != nil {
		f.failed.Add(1)
		f.breaker.trip(err)
		return
	}
	f.breaker.reset()
	f.index.put(k, size, e.Sources, f.now())
}

func (f *files) write(name string, data []byte) error {
	temp := filepath.Join(f.folder, tempName, rand.Text())
	err := f.fs.WriteFile(temp, data)
	if errors.Is(err, fs.ErrNotExist) { // the folder was deleted
		if err = f.fs.MkdirAll(filepath.Dir(temp)); err == nil {
			err = f.fs.WriteFile(temp, data)
		}
	}
	if err == nil {
		err = f.fs.Rename(temp, name)
		if errors.Is(err, fs.ErrNotExist) {
			if err = f.fs.MkdirAll(filepath.Dir(name)); err == nil {
				err = f.fs.Rename(temp, name)
			}
		}
	}
	if err != nil {
		_ = f.fs.Remove(temp) // even a partial file takes space on a full disk
	}
	return err
}

// evict removes the least recently used entries until at most maxBytes are left.
func (f *files) evict(maxBytes int64) {
	for {
		k, ok := f.index.evictionCandidate(maxBytes)
		if !ok {
			return
		}
		f.evicted.Add(1)
		f.remove(k)
	}
}

func (f *files) remove(k Key) {
	f.index.remove(k)
	if err := f.fs.Remove(f.path(k)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.failed.Add(1)
		f.log.Warn("result cache: a file cannot be removed", "file", f.path(k), "error", err)
	}
}

func (f *files) purge(ctx context.Context, s Selection) (n int, bytes int64, err error) {
	select {
	case <-f.scanned:
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
	for k, size := range f.index.matching(s) {
		f.remove(k)
		n++
		bytes += size
	}
	return n, bytes, nil
}

func (f *files) stats() TierStats {
	n, b := f.index.sum()
	return TierStats{On: true, Entries: int64(n), Bytes: b, MaxBytes: f.maxBytes, Evicted: f.evicted.Load(),
		Damaged: f.damaged.Load(), Failed: f.failed.Load(), Paused: f.breaker.isOpen()}
}

func (f *files) close() { f.scan.Wait() }
