package cache

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	headerSize    = 8 << 10 // bytes that are read first from a file to index it
	maxHeaderSize = 1 << 20 // max bytes of a longer header; entries that exceed it are removed
	loadWorkers   = 4       // subfolders that are read concurrently
)

// found is an entry of an earlier run.
type found struct {
	key     Key
	size    int64
	used    time.Time
	sources []string
}

// load indexes the entries of earlier runs and removes abandoned temporary files. The tier already serves lookups
// during that time, because a lookup reads the file whether it is indexed or not. Sizes and times come from the
// folder, sources from the header of each file.
func (f *files) load(ctx context.Context) {
	defer close(f.scanned)
	f.removeTemp()
	list := f.walk(ctx)
	if ctx.Err() != nil {
		return
	}
	slices.SortFunc(list, func(a, b found) int { return b.used.Compare(a.used) })
	f.index.restore(list)
	f.evict(f.maxBytes)
}

// walk returns the entries in the folder, in no order. It is incomplete if ctx has ended.
func (f *files) walk(ctx context.Context) (list []found) {
	folders, err := f.fs.ReadDir(f.folder)
	if err != nil {
		return nil
	}
	names := make(chan string)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range loadWorkers {
		workers.Go(func() {
			for name := range names {
				entries := f.walkSubfolder(ctx, name)
				mu.Lock()
				list = append(list, entries...)
				mu.Unlock()
			}
		})
	}
	for _, d := range folders {
		if ctx.Err() == nil && len(d.Name()) == 2 && d.IsDir() {
			names <- d.Name()
		}
	}
	close(names)
	workers.Wait()
	return list
}

// walkSubfolder returns the readable entries in a subfolder.
func (f *files) walkSubfolder(ctx context.Context, folder string) (list []found) {
	entries, err := f.fs.ReadDir(filepath.Join(f.folder, folder))
	if err != nil {
		return nil
	}
	for _, d := range entries {
		if ctx.Err() != nil {
			return list
		}
		k, ours := keyOf(d.Name())
		if !ours || d.Name()[:2] != folder {
			continue
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if header, err := f.readHeader(k, info.Size()); err == nil {
			list = append(list, found{key: k, size: info.Size(), used: info.ModTime(), sources: header.Sources})
		}
	}
	return list
}

// readHeader reads the header of a file with the given size. It removes a damaged file.
func (f *files) readHeader(k Key, size int64) (stored, error) {
	b, err := f.fs.ReadStart(f.path(k), headerSize)
	if err != nil {
		return stored{}, err
	}
	if n := headerLength(b); n > len(b) && n <= maxHeaderSize && int64(n) <= size {
		if b, err = f.fs.ReadStart(f.path(k), n); err != nil {
			return stored{}, err
		}
	}
	h, _, err := decodeHeader(b)
	if err != nil {
		f.damaged.Add(1)
		f.remove(k)
	}
	return h, err
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
