package cache

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// Selection says which entries a purge takes. An entry goes when one of its sources is one of Files or lies
// in one of Folders, or when All is set.
type Selection struct {
	All     bool
	Files   []string
	Folders []string // without a final slash; "" is the root: everything that lies in the storage
}

func (s Selection) empty() bool { return !s.All && len(s.Files) == 0 && len(s.Folders) == 0 }

// Takes reports whether an entry that was made of these sources is selected.
func (s Selection) Takes(sources ...string) bool { return s.takes(sources) }

func (s Selection) takes(sources []string) bool {
	return s.All || slices.ContainsFunc(sources, func(one string) bool {
		return slices.Contains(s.Files, one) || slices.ContainsFunc(s.Folders, func(f string) bool { return f == "" || strings.HasPrefix(one, f+"/") })
	})
}

// Purged counts what a purge took.
type Purged struct {
	Memory, Files, Remote int   // entries of each tier
	Bytes                 int64 // of all tiers together
}

// Purge takes the selected entries out of every tier, and those that are being made or stored meanwhile. An
// error is that of a lower tier; what could be taken is gone and counted all the same.
func (c *Cache) Purge(ctx context.Context, s Selection) (Purged, error) {
	var p Purged
	if c == nil || s.empty() {
		return p, nil
	}
	c.purges.add(s, c.config.Now())
	gone := func(e *Entry) bool { return s.takes(e.Sources) }
	var err error
	if c.memory != nil {
		n, b := c.memory.purge(gone)
		p.Memory, p.Bytes = n, b
	}
	if c.files != nil {
		n, b, e := c.files.purge(ctx, s)
		p.Files, err = n, e
		p.Bytes += b
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

// purgeRetention is how long a purge is held against results that were begun before it.
const purgeRetention = 10 * time.Minute

// maxPurges is how many are held; when there are more, the oldest stand for a purge of everything.
const maxPurges = 1000

// purges are the latest purges: a result whose work began before one of them must not be kept after it.
type purges struct {
	mu    sync.Mutex
	list  []purge
	floor time.Time // everything made before it is purged
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

// hit reports whether an entry was purged since its work began.
func (p *purges) hit(e *Entry) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Made.Before(p.floor) {
		return true
	}
	return slices.ContainsFunc(p.list, func(one purge) bool { return !e.Made.After(one.at) && one.takes(e.Sources) })
}
