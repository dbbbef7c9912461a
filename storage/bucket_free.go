package storage

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// maxLookAhead is how many names are listed to find out whether a name belongs to a folder: names in which one of
// !"#$%&'()*+,-. follows sort before the folder's slash.
const maxLookAhead = 100

// checkFree returns fault.Conflict unless an object can get the name k: there must be no folder with that name, no
// file unless overwrite is set, and no file in place of a parent folder.
func (s *bucket) checkFree(ctx context.Context, k Key, overwrite bool) error {
	known := hintsIn(ctx)
	if known.isFresh(k) {
		return nil
	}
	file, folder, err := s.taken(ctx, k)
	if err != nil {
		return err
	}
	if folder || file && !overwrite {
		return exists(k)
	}
	for p := k.Parent(); p != ""; p = p.Parent() {
		if s.folders.has(p) || slices.Contains(known.Folders, p) {
			return nil
		}
		inside, err := s.firstIn(ctx, p)
		if err != nil {
			return err
		}
		if inside != nil {
			s.folders.add(p) // the parent folders exist, too
			return nil
		}
		if _, err := s.o.head(ctx, string(p)); err == nil {
			return fault.OnField(fault.Conflict, "path", "a folder of %s is a file", show(k))
		} else if !errors.Is(err, errMissing) {
			return translateObject(err, p)
		}
	}
	return nil
}

// taken reports whether there is a file or a folder k, usually with one request.
func (s *bucket) taken(ctx context.Context, k Key) (file, folder bool, err error) {
	pages := 0
	for page, err := range s.o.list(ctx, string(k), true, maxLookAhead) {
		if err != nil {
			return false, false, translateObject(err, k)
		}
		passed := false
		for _, o := range page {
			file = file || o.name == string(k)
			folder = folder || o.name == string(k)+"/"
			passed = passed || o.name >= string(k)+"/"
		}
		if passed {
			return file, folder, nil
		}
		if pages++; pages == 2 { // a very large number of names starts with k
			inside, err := s.firstIn(ctx, k)
			return file, inside != nil, err
		}
	}
	return file, folder, nil
}

const (
	folderTTL       = 10 * time.Second
	maxKnownFolders = 10_000
)

// folderCache remembers folders that existed recently. If another server deletes such a folder and a file gets its
// name, both may exist for a while; the name then opens the file.
type folderCache struct {
	mu    sync.Mutex
	until map[Key]time.Time
}

func (f *folderCache) has(k Key) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Now().Before(f.until[k])
}

func (f *folderCache) add(k Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.until == nil || len(f.until) >= maxKnownFolders {
		f.until = map[Key]time.Time{}
	}
	f.until[k] = time.Now().Add(folderTTL)
}

// invalidate forgets all folders, because the last file of one may have been deleted.
func (f *folderCache) invalidate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until = nil
}
