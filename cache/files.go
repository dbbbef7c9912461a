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

// files is the tier in a folder. Each entry is a file, named by its key, in one of 256 subfolders. The folder may be changed or
// deleted at any time: that only causes misses.
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
	tempName = "tmp"     // folder of unfinished writes
	touchAge = time.Hour // max age of a modification time before a hit renews it
	headSize = 8 << 10   // bytes read from each file to index it
)

func openFiles(ctx context.Context, c Config) (*files, error) {
	f := &files{fs: c.fs, folder: c.Folder, maxBytes: c.FileBytes, log: c.Log, now: c.Now, index: newIndex(), scanned: make(chan struct{})}
	f.breaker = breaker{log: c.Log, what: "result cache: reads and writes of files", now: c.Now}
	if err := f.fs.MkdirAll(filepath.Join(f.folder, tempName)); err != nil {
		return nil, err
	}
	f.scan.Go(func() { f.scanFolder(ctx) })
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
		_ = f.fs.Touch(name, now) // it only orders the entries of the next run
	}
	return e
}

// put evicts what is necessary and writes an entry atomically. A failure trips the circuit breaker.
func (f *files) put(k Key, e *Entry, data []byte) {
	size := int64(len(data))
	if size > f.maxBytes/2 || f.breaker.isOpen() {
		return
	}
	f.evict(f.maxBytes - size)
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
		_ = f.fs.Remove(temp) // a partial file takes space on a full disk
	}
	return err
}

// evict removes the least recently used entries until at most maxBytes are left.
func (f *files) evict(maxBytes int64) {
	for {
		k, ok := f.index.victim(maxBytes)
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

// scanFolder indexes the entries of earlier runs and removes abandoned temporary files.
func (f *files) scanFolder(ctx context.Context) {
	defer close(f.scanned)
	f.removeTemp()
	folders, err := f.fs.ReadDir(f.folder)
	if err != nil {
		return
	}
	for _, d := range folders {
		if ctx.Err() != nil {
			return
		}
		if len(d.Name()) == 2 && d.IsDir() {
			f.scanSubfolder(d.Name())
		}
	}
	f.evict(f.maxBytes)
}

func (f *files) scanSubfolder(folder string) {
	list, err := f.fs.ReadDir(filepath.Join(f.folder, folder))
	if err != nil {
		return
	}
	for _, one := range list {
		k, ours := keyOf(one.Name())
		info, err := one.Info()
		if !ours || one.Name()[:2] != folder || err != nil || !info.Mode().IsRegular() {
			continue
		}
		head, err := f.fs.ReadHead(f.path(k), headSize)
		if err != nil {
			continue
		}
		h, _, err := decodeHead(head)
		if err != nil {
			f.damaged.Add(1)
			f.remove(k)
			continue
		}
		f.index.restore(k, info.Size(), h.Sources, info.ModTime())
	}
}

func (f *files) removeTemp() {
	temp := filepath.Join(f.folder, tempName)
	list, err := f.fs.ReadDir(temp)
	if err != nil {
		return
	}
	for _, one := range list {
		if info, err := one.Info(); err == nil && f.now().Sub(info.ModTime()) > touchAge {
			_ = f.fs.Remove(filepath.Join(temp, one.Name()))
		}
	}
}

func (f *files) stats() TierStats {
	n, b := f.index.sum()
	return TierStats{On: true, Entries: int64(n), Bytes: b, MaxBytes: f.maxBytes, Evicted: f.evicted.Load(),
		Damaged: f.damaged.Load(), Failed: f.failed.Load(), Paused: f.breaker.isOpen()}
}

func (f *files) close() { f.scan.Wait() }
