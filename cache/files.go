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

// files is the tier of files in one folder: an entry is a file of its own, named by its key, in one of 256
// folders. Nothing of it is needed: whatever happens to the folder makes misses.
type files struct {
	fs      filesystem
	folder  string
	bound   int64
	log     *slog.Logger
	now     func() time.Time
	index   *index
	found   chan struct{} // closed when the entries of earlier runs are in the index
	scan    sync.WaitGroup
	breaker breaker

	evicted, damaged, failed atomic.Int64
}

const (
	workName = "tmp"     // folder of what is being written
	touchAge = time.Hour // how old a file's time may get before a hit renews it
	headSize = 8 << 10   // bytes that are read to learn of a file what it is made of
)

func openFiles(ctx context.Context, c Config) (*files, error) {
	f := &files{fs: c.fs, folder: c.Folder, bound: c.FileBytes, log: c.Log, now: c.Now, index: newIndex(), found: make(chan struct{})}
	f.breaker = breaker{log: c.Log, what: "result cache: files", now: c.Now}
	if err := f.fs.MkdirAll(filepath.Join(f.folder, workName)); err != nil {
		return nil, err
	}
	f.scan.Go(func() { f.find(ctx) })
	return f, nil
}

func (f *files) place(k Key) string {
	name := k.String()
	return filepath.Join(f.folder, name[:2], name)
}

// keyOf reads an entry's name; ok is false for names that are none of ours.
func keyOf(name string) (k Key, ok bool) {
	if len(name) != 2*len(k) {
		return k, false
	}
	_, err := hex.Decode(k[:], []byte(name))
	return k, err == nil && k.String() == name
}

// get returns an entry; nil when it is not there, or damaged, which removes it, or cannot be read.
func (f *files) get(k Key) *Entry {
	name := f.place(k)
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
		_ = f.fs.Touch(name, now) // it only tells the next run what was used
	}
	return e
}

// put writes an entry, whole or not at all, and makes room. After a failure it rests for some seconds.
func (f *files) put(k Key, e *Entry, data []byte) {
	size := int64(len(data))
	if size > f.bound/2 || f.breaker.isOpen() {
		return
	}
	f.evict(f.bound - size)
	if err := f.write(f.place(k), data); err != nil {
		f.failed.Add(1)
		f.breaker.trip(err)
		return
	}
	f.breaker.reset()
	f.index.put(k, size, e.Sources, f.now())
}

func (f *files) write(name string, data []byte) error {
	temp := filepath.Join(f.folder, workName, rand.Text())
	err := f.fs.WriteFile(temp, data)
	if errors.Is(err, fs.ErrNotExist) { // somebody removed the folder
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
		_ = f.fs.Remove(temp) // where the disk is full, what was written is in the way
	}
	return err
}

// evict removes the entries that were used longest ago until at maxBytes that many bytes are left.
func (f *files) evict(maxBytes int64) {
	for {
		k, ok := f.index.oldest(maxBytes)
		if !ok {
			return
		}
		f.evicted.Add(1)
		f.remove(k)
	}
}

func (f *files) remove(k Key) {
	f.index.remove(k)
	if err := f.fs.Remove(f.place(k)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.failed.Add(1)
		f.log.Warn("result cache: a file cannot be removed", "file", f.place(k), "error", err)
	}
}

func (f *files) purge(ctx context.Context, s Selection) (n int, bytes int64, err error) {
	select {
	case <-f.found:
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

// find puts the entries of earlier runs into the index, by their times, and removes what a crash left.
func (f *files) find(ctx context.Context) {
	defer close(f.found)
	f.clearWork()
	folders, err := f.fs.ReadDir(f.folder)
	if err != nil {
		return
	}
	for _, d := range folders {
		if ctx.Err() != nil {
			return
		}
		if len(d.Name()) == 2 && d.IsDir() {
			f.findIn(d.Name())
		}
	}
	f.evict(f.bound)
}

func (f *files) findIn(folder string) {
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
		head, err := f.fs.ReadHead(f.place(k), headSize)
		if err != nil {
			continue
		}
		h, _, err := decodeHead(head)
		if err != nil {
			f.damaged.Add(1)
			f.remove(k)
			continue
		}
		f.index.found(k, info.Size(), h.Sources, info.ModTime())
	}
}

func (f *files) clearWork() {
	work := filepath.Join(f.folder, workName)
	list, err := f.fs.ReadDir(work)
	if err != nil {
		return
	}
	for _, one := range list {
		if info, err := one.Info(); err == nil && f.now().Sub(info.ModTime()) > touchAge {
			_ = f.fs.Remove(filepath.Join(work, one.Name()))
		}
	}
}

func (f *files) stats() TierStats {
	n, b := f.index.sum()
	return TierStats{On: true, Entries: int64(n), Bytes: b, MaxBytes: f.bound, Evicted: f.evicted.Load(),
		Damaged: f.damaged.Load(), Failed: f.failed.Load(), Paused: f.breaker.isOpen()}
}

func (f *files) close() { f.scan.Wait() }
