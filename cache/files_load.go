package cache

import (
	"context"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"
)

const (
	headSize    = 8 << 10 // bytes that are first read from a file to index it
	maxHeadSize = 1 << 20 // of a longer head; entries with more are removed
	loadWorkers = 4       // subfolders, or heads, that are read at once
)

// found is an entry of an earlier run.
type found struct {
	key     Key
	size    int64
	used    time.Time
	sources []string
}

// load indexes the entries of earlier runs and removes abandoned temporary files. The tier works meanwhile: a lookup reads
// the file, whether it is indexed or not. Names, sizes and times come from the folder; sources come from the log, or from the
// head of the file if the log lacks the entry.
func (f *files) load(ctx context.Context) {
	defer close(f.scanned)
	f.removeTemp()
	var log logContent
	var reading sync.WaitGroup
	reading.Go(func() { log = f.readLog() })
	list := f.walk(ctx)
	reading.Wait()
	list, heads := f.addSources(ctx, list, log.entries)
	if ctx.Err() != nil {
		return
	}
	sort.Slice(list, func(i, j int) bool { return list[i].used.After(list[j].used) })
	f.index.restore(list)
	f.evict(f.maxBytes)
	f.logging.Lock()
	defer f.logging.Unlock()
	f.records += log.records
	if log.damaged || heads > logSlack || f.records > 2*len(list)+logSlack {
		f.rewriteLog()
	}
}

// walk returns the entries in the folder without their sources, in no order.
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
				some := f.walkSubfolder(name)
				mu.Lock()
				list = append(list, some...)
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

func (f *files) walkSubfolder(folder string) (list []found) {
	entries, err := f.fs.ReadDir(filepath.Join(f.folder, folder))
	if err != nil {
		return nil
	}
	for _, one := range entries {
		k, ours := keyOf(one.Name())
		if !ours || one.Name()[:2] != folder {
			continue
		}
		if info, err := one.Info(); err == nil && info.Mode().IsRegular() {
			list = append(list, found{key: k, size: info.Size(), used: info.ModTime()})
		}
	}
	return list
}

// addSources returns the entries that are readable with their sources, and how many heads it had to read.
func (f *files) addSources(ctx context.Context, list []found, known map[Key]logged) (readable []found, heads int) {
	var missing []found
	readable = list[:0]
	for _, entry := range list {
		if l, ok := known[entry.key]; ok && l.size == entry.size {
			entry.sources = l.sources
			readable = append(readable, entry)
		} else {
			missing = append(missing, entry)
		}
	}
	var mu sync.Mutex
	var workers sync.WaitGroup
	for some := range slices.Chunk(missing, len(missing)/loadWorkers+1) {
		workers.Go(func() {
			for _, entry := range some {
				if ctx.Err() != nil {
					return
				}
				if h, err := f.readHead(entry.key, entry.size); err == nil {
					entry.sources = h.Sources
					mu.Lock()
					readable = append(readable, entry)
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	return readable, len(missing)
}

// readHead reads the head of a file of that size. It removes a damaged file.
func (f *files) readHead(k Key, size int64) (stored, error) {
	b, err := f.fs.ReadHead(f.path(k), headSize)
	if err != nil {
		return stored{}, err
	}
	if n := headLength(b); n > len(b) && n <= maxHeadSize && int64(n) <= size {
		if b, err = f.fs.ReadHead(f.path(k), n); err != nil {
			return stored{}, err
		}
	}
	h, _, err := decodeHead(b)
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
