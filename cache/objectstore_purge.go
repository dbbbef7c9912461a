package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/safelight/safelight/fault"
)

// A reference is an object that leads a purge to an entry whose name does not contain the path of the source, because
// the source is a layer or a remote picture. The reference is in a folder of the source. Its name is the entry's key,
// and it contains the name and the size of the entry's object.
const (
	sourceFilesPrefix = "results/sources/files/" // followed by the path of the source
	sourceOtherPrefix = "results/sources/other/" // followed by a hash
)

// sourceFolder returns the folder that contains the references of a source.
func sourceFolder(source string) string {
	if isMirrored(source) {
		return sourceFilesPrefix + source
	}
	sum := sha256.Sum256([]byte(source))
	return sourceOtherPrefix + hex.EncodeToString(sum[:16])
}

// referenceNames returns the names of the references to an entry.
func referenceNames(k Key, e *Entry) (names []string) {
	for _, source := range e.Sources {
		if name := sourceFolder(source) + "/" + k.String(); (source != e.main() || !isMirrored(source)) &&
			!slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// writeReferences writes the references to an entry of the given size. References must be written before the entry, so
// that purges find every entry.
func (t *remoteTier) writeReferences(ctx context.Context, k Key, e *Entry, size int64) error {
	value := []byte(objectName(k, e.main()) + "\n" + strconv.FormatInt(size, 10))
	return parallel(ctx, referenceNames(k, e), func(ctx context.Context, name string) error {
		return t.store.Put(ctx, name,
			value)
	})
}

// purge deletes the entries with a selected source. It counts an entry that it finds by a reference even if the entry
// no longer exists. After an error, the caller can continue the purge by calling it again.
func (t *remoteTier) purge(ctx context.Context, s Selection) (n int, size int64, err error) {
	p := &remotePurge{store: t.store, all: s.All, seen: map[string]bool{}}
	for _, folder := range s.remoteFolders() {
		if err = p.folder(ctx, folder); err != nil {
			break
		}
	}
	return p.count, p.bytes, err
}

// purgeRequests is how many requests a purge makes concurrently.
const purgeRequests = 16

// parallel calls do for each name, and returns the first error.
func parallel(ctx context.Context, names []string, do func(context.Context, string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(purgeRequests)
	for _, name := range names {
		group.Go(func() error { return do(ctx, name) })
	}
	return group.Wait()
}

// remoteFolder is a folder of the store that a purge lists.
type remoteFolder struct {
	name       string
	all        bool // including objects in subfolders
	references bool // contains references instead of entries
}

func (s Selection) remoteFolders() (list []remoteFolder) {
	add := func(name string, all, references bool) {
		list = append(list, remoteFolder{strings.TrimSuffix(name, "/"), all, references})
	}
	if s.All {
		for _, prefix := range []string{filesPrefix, otherPrefix} {
			add(prefix, true, false)
		}
		for _, prefix := range []string{sourceFilesPrefix, sourceOtherPrefix} {
			add(prefix, true, true)
		}
		return list
	}
	for _, one := range s.Files {
		if slices.Contains(s.Folders, one) && isMirrored(one) {
			continue // deleting the folder with that name includes it
		}
		if isMirrored(one) {
			add(filesPrefix+one, false, false)
		}
		add(sourceFolder(one), false, true)
	}
	for _, one := range s.Folders {
		add(filesPrefix+one, true, false)
		add(sourceFilesPrefix+one, true, true)
	}
	return list
}

// remotePurge is a purge in progress.
type remotePurge struct {
	store ObjectStore
	all   bool

	mu    sync.Mutex
	seen  map[string]bool // names of the entries that were deleted
	count int
	bytes int64
}

// folder deletes the entries in a folder, and the references in it together with their entries. If everything is
// purged, it does not follow references, because the other folders contain all entries.
func (p *remotePurge) folder(ctx context.Context, folder remoteFolder) error {
	sizes := map[string]int64{}
	err := p.store.List(ctx, folder.name, func(name string, size int64) error {
		if _, ours := keyOf(path.Base(name)); ours && (folder.all || path.Dir(name) == folder.name) {
			sizes[name] = size
		}
		return nil
	})
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		return err
	}
	return parallel(ctx, slices.Collect(maps.Keys(sizes)), func(ctx context.Context, name string) error {
		switch {
		case !folder.references:
			return p.entry(ctx, name, sizes[name])
		case p.all:
			return p.store.Delete(ctx, name)
		}
		return p.follow(ctx, name)
	})
}

// follow deletes the entry to which a reference refers, and then the reference.
func (p *remotePurge) follow(ctx context.Context, name string) error {
	data, err := p.store.Get(ctx, name)
	if fault.CodeOf(err) == fault.NotFound {
		return nil // another purge has already deleted it
	}
	if err != nil {
		return err
	}
	entry, text, _ := strings.Cut(string(data), "\n")
	if path.Base(entry) == path.Base(name) && (strings.HasPrefix(entry, filesPrefix) ||
		strings.HasPrefix(entry, otherPrefix)) {
		size, _ := strconv.ParseInt(text, 10, 64) // 0 if it cannot be read
		if err := p.entry(ctx, entry, size); err != nil {
			return err
		}
	}
	return p.store.Delete(ctx, name)
}

// entry deletes an entry, unless this purge has already done so.
func (p *remotePurge) entry(ctx context.Context, name string, size int64) error {
	p.mu.Lock()
	seen := p.seen[name]
	p.mu.Unlock()
	if seen {
		return nil
	}
	if err := p.store.Delete(ctx, name); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.seen[name] {
		p.seen[name] = true
		p.count++
		p.bytes += size
	}
	return nil
}
