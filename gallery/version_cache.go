package gallery

import (
	"strings"
	"sync"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/storage"
)

// maxVersions bounds how many versions are cached.
const maxVersions = 100_000

// VersionCache caches what the storage says of the files that image URLs name. It counts changes, so that a version that was read during a change is not cached.
type VersionCache struct {
	Age time.Duration // of an entry; 0: nothing is cached

	mu      sync.RWMutex
	known   map[string]version
	changes int64
}

type version struct {
	storage.Stat
	until time.Time
}

// Get returns the version of an image that is still cached at that time.
func (v *VersionCache) Get(image string, now time.Time) (storage.Stat, bool) {
	if v.Age <= 0 {
		return storage.Stat{}, false
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	one, ok := v.known[image]
	return one.Stat, ok && now.Before(one.until)
}

// Changes counts the calls of Forget, for Put.
func (v *VersionCache) Changes() int64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.changes
}

// Put caches a version that was read after asked, a result of Changes, unless something has been forgotten since.
func (v *VersionCache) Put(image string, s storage.Stat, asked int64, now time.Time) {
	if v.Age <= 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changes != asked {
		return
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
		if s.Takes(string(one.Key)) {
			delete(v.known, image)
		}
	}
}

// ForgetChanged forgets files, and those in folders, that another server has changed; everything if reload is set.
func (v *VersionCache) ForgetChanged(reload bool, keys ...storage.Key) {
	s := cache.Selection{All: reload}
	for _, k := range keys {
		s.Files, s.Folders = append(s.Files, string(k)), append(s.Folders, string(k))
	}
	v.Forget(s)
}
