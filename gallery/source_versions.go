package gallery

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// StatImage describes the file that an image URL names: fault.NotFound for folders and hidden files, as for OpenImage. It answers
// from memory for Config.SourceCheck.
func (g *Gallery) StatImage(ctx context.Context, image string) (storage.Stat, error) {
	if s, ok := g.versions.get(image, g.config.Now()); ok {
		return s, nil
	}
	k, err := storage.ParseKey(image)
	if err != nil {
		return storage.Stat{}, err
	}
	if k.IsHidden() {
		return storage.Stat{}, fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	asked := g.versions.now()
	s, err := g.store.Stat(ctx, k)
	if err != nil {
		return s, err
	}
	if s.IsFolder {
		return s, fault.OnField(fault.NotFound, "path", "%s is a folder, expected a file", k)
	}
	g.versions.put(image, s, asked, g.config.Now())
	return s, nil
}

// maxVersions bounds how many versions are cached.
const maxVersions = 100_000

// versions caches the versions of files. It counts changes, so that a version that was read during a change is not cached.
type versions struct {
	age time.Duration // 0: nothing is cached

	mu      sync.RWMutex
	known   map[string]version
	changes int64
}

type version struct {
	storage.Stat
	until time.Time
}

func (v *versions) get(image string, now time.Time) (storage.Stat, bool) {
	if v.age <= 0 {
		return storage.Stat{}, false
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	one, ok := v.known[image]
	return one.Stat, ok && now.Before(one.until)
}

func (v *versions) now() int64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.changes
}

func (v *versions) put(image string, s storage.Stat, asked int64, now time.Time) {
	if v.age <= 0 {
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
	v.known[strings.Clone(image)] = version{s, now.Add(v.age)}
}

// forget removes the selected files.
func (v *versions) forget(s cache.Selection) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.changes++
	for image, one := range v.known {
		if s.Takes(string(one.Key)) {
			delete(v.known, image)
		}
	}
}
