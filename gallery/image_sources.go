package gallery

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/storage"
)

// OpenImage opens the file that an image URL names. It returns fault.NotFound also for hidden files, and for
// files that the caller may not see. A valid signature gives access to all files: access.All.
func (g *Gallery) OpenImage(ctx context.Context, image string) (storage.Object, error) {
	k, err := g.imageKey(ctx, image)
	if err != nil {
		return nil, err
	}
	return g.store.Open(ctx, k)
}

// OpenImageVersion opens the version of a file that has the ETag and size that StatImage returned. image is
// the file's name in an image URL. If the file has changed since, storage.IsChanged reports true for the
// error.
func (g *Gallery) OpenImageVersion(ctx context.Context, image, tag string, size int64) (storage.Object, error) {
	k, err := g.imageKey(ctx, image)
	if err != nil {
		return nil, err
	}
	return storage.OpenVersion(ctx, g.store, storage.Stat{Key: k, ETag: tag, Size: size})
}

// imageKey returns the path of the file that an image URL names. It returns fault.NotFound for a hidden file,
// and for a file that the caller may not see.
func (g *Gallery) imageKey(ctx context.Context, image string) (storage.Key, error) {
	k, err := storage.ParseKey(image)
	switch {
	case err != nil:
		return "", err
	case k.IsHidden():
		return "", notFound(k)
	case access.IsAll(ctx):
		return k, nil
	}
	return k, g.checkView(ctx, k)
}

// StatImage describes the file that an image URL names. Like OpenImage, it returns fault.NotFound for folders
// and hidden files. The result is cached for Config.SourceCheck.
func (g *Gallery) StatImage(ctx context.Context, image string) (storage.Stat, error) {
	k, err := g.imageKey(ctx, image)
	if err != nil {
		return storage.Stat{}, err
	}
	if s, ok := g.Versions.Get(image, g.config.Now()); ok {
		return s, nil
	}
	asked := g.Versions.Changes()
	s, err := g.store.Stat(ctx, k)
	if err != nil {
		return s, err
	}
	if s.IsFolder {
		return s, fault.OnField(fault.NotFound, "path", "%s is a folder, expected a file", k)
	}
	g.Versions.Put(image, s, asked, g.config.Now())
	return s, nil
}

// CachedImage returns the cached result of StatImage for a signed URL, if there is one.
func (g *Gallery) CachedImage(image string) (storage.Stat, bool) {
	return g.Versions.Get(image, g.config.Now())
}

// maxVersions is the maximum number of cached versions.
const maxVersions = 100_000

// VersionCache caches the versions of files that image URLs name. It counts changes, so that a version that
// was read during a change is not cached.
type VersionCache struct {
	Age time.Duration // lifetime of an entry; 0: nothing is cached

	mu        sync.RWMutex
	known     map[string]version
	nextSweep time.Time // when expired versions are next removed
	changes   int64
}

type version struct {
	storage.Stat
	until time.Time
}

// Get returns the version of an image if it is cached and has not expired at now.
func (v *VersionCache) Get(image string, now time.Time) (storage.Stat, bool) {
	if v.Age <= 0 {
		return storage.Stat{}, false
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	one, ok := v.known[image]
	return one.Stat, ok && now.Before(one.until)
}

// Changes returns a counter of the calls of Forget, to pass to Put.
func (v *VersionCache) Changes() int64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.changes
}

// Put caches a version, unless Forget was called since asked, the result of Changes before the version was
// read.
func (v *VersionCache) Put(image string, s storage.Stat, asked int64, now time.Time) {
	if v.Age <= 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changes != asked {
		return
	}
	if !now.Before(v.nextSweep) {
		maps.DeleteFunc(v.known, func(_ string, one version) bool { return !now.Before(one.until) })
		v.nextSweep = now.Add(v.Age)
	}
	if v.known == nil || len(v.known) >= maxVersions {
		v.known = map[string]version{}
	}
	v.known[strings.Clone(image)] = version{s, now.Add(v.Age)}
}

// Forget removes the selected files.
func (v *VersionCache) Forget(s cache.Selection) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.changes++
	for image, one := range v.known {
		if s.Matches(string(one.Key)) {
			delete(v.known, image)
		}
	}
}

// ForgetImage removes the file that an image URL names, because its cached version is outdated.
func (v *VersionCache) ForgetImage(image string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.changes++
	delete(v.known, image)
}

// ForgetChanged removes files that another server has changed, and the files in changed folders. If reload is
// set, it removes everything.
func (v *VersionCache) ForgetChanged(reload bool, keys ...storage.Key) {
	s := cache.Selection{All: reload}
	for _, k := range keys {
		s.Files, s.Folders = append(s.Files, string(k)), append(s.Folders, string(k))
	}
	v.Forget(s)
}
