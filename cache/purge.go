package cache

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// Selection selects the entries of a purge: entries with a source in Files or below one of Folders, or every entry if
// All is set.
type Selection struct {
	All     bool
	Files   []string
	Folders []string // without a final slash; "" is the root of the storage
}

func (s Selection) empty() bool { return !s.All && len(s.Files) == 0 && len(s.Folders) == 0 }

// Matches reports whether an entry with these sources is selected.
func (s Selection) Matches(sources ...string) bool {
	return s.All || slices.ContainsFunc(sources, func(one string) bool {
		return slices.Contains(s.Files, one) || slices.ContainsFunc(s.Folders,
			func(f string) bool { return f == "" || strings.HasPrefix(one, f+"/") })
	})
}

// Purged counts what a purge removed.
type Purged struct {
	Memory, Files, Remote int   // number of entries in each tier
	Bytes                 int64 // size of the removed entries of all tiers
}

// Purge removes the selected entries from every tier, including results that are being rendered or written at the same
// time. If a tier fails, it continues with the others and returns the error together with the counts.
func (c *Cache) Purge(ctx context.Context, s Selection) (Purged, error) { return c.StartPurge(s)(ctx) }

// PurgeLocal is Purge without the remote tier. It repeats the purge of another server, which has already purged the
// shared tier.
func (c *Cache) PurgeLocal(ctx context.Context, s Selection) (Purged, error) {
	if c == nil || s.empty() {
		return Purged{}, nil
	}
	p := c.purgeMemory(s)
	if c.files == nil {
		return p, nil
	}
	return c.purgeFiles(ctx, s, p)
}

// StartPurge is Purge in two steps. Once it returns, lookups no longer find selected entries. finish removes the
// entries from the lower tiers, and may be called later. finish does not remove results from memory that were rendered
// in between.
func (c *Cache) StartPurge(s Selection) (finish func(context.Context) (Purged, error)) {
	if c == nil || s.empty() {
		return func(context.Context) (Purged, error) { return Purged{}, nil }
	}
	p := c.purgeMemory(s)
	return func(ctx context.Context) (Purged, error) { return c.purgeLower(ctx, s, p) }
}

// purgeMemory also makes lookups in the lower tiers miss.
func (c *Cache) purgeMemory(s Selection) (p Purged) {
	c.purges.add(s, c.config.Now())
	if c.memory != nil {
		p.Memory, p.Bytes = c.memory.purge(func(e *Entry) bool { return s.Matches(e.Sources...) })
	}
	return p
}

func (c *Cache) purgeFiles(ctx context.Context, s Selection, p Purged) (Purged, error) {
	n, b, err := c.files.purge(ctx, s)
	p.Files = n
	p.Bytes += b
	return p, err
}

// purgeLower adds what it removes from the lower tiers to p.
func (c *Cache) purgeLower(ctx context.Context, s Selection, p Purged) (Purged, error) {
	var err error
	if c.files != nil {
		p, err = c.purgeFiles(ctx, s, p)
	}
	if c.remote != nil {
		n, b, e := c.remote.purge(ctx, s)
		p.Remote = n
		p.Bytes += b
		if err == nil {
			err = e
		}
	}
	return p, err
}

// purgeRetention is how long a purge rejects results whose rendering started before it.
const purgeRetention = 10 * time.Minute

// maxPurges is how many purges are retained. If there are more, everything that started before the latest of them is
// rejected.
const maxPurges = 1000

// purges records the recent purges: a result whose rendering started before one of them must not be stored after it.
type purges struct {
	mu    sync.Mutex
	list  []purge
	floor time.Time // everything that started before this time counts as purged
}

type purge struct {
	Selection
	at time.Time
}

func (p *purges) add(s Selection, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := 0
	for old < len(p.list) && now.Sub(p.list[old].at) > purgeRetention {
		old++
	}
	p.list = append(p.list[:0], p.list[old:]...)
	if len(p.list) >= maxPurges {
		p.floor = p.list[len(p.list)-1].at
		p.list = p.list[:0]
	}
	p.list = append(p.list, purge{s, now})
}

// covers reports whether the entry was purged after its rendering had started.
func (p *purges) covers(e *Entry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Started.Before(p.floor) {
		return true
	}
	return slices.ContainsFunc(
		p.list,
		func(one purge) bool { return !e.Started.After(one.at) && one.Matches(e.Sources...) },
	)
}
