package cache

import (
	"slices"
	"sync"
	"time"

	"github.com/safelight/safelight/cache/lru"
)

// index lists the entries of the files tier with their sizes, sources and last use.
type index struct {
	mu      sync.Mutex
	entries *lru.List[Key, *indexed]
}

type indexed struct {
	key     Key
	sources []string
	used    time.Time // the file's modification time, at most touchAge behind
}

func newIndex() *index { return &index{entries: lru.New[Key, *indexed]()} }

// put adds or replaces an entry that was just written.
func (x *index) put(k Key, size int64, sources []string, now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.entries.Put(k, &indexed{k, sources, now}, size)
}

// restoreBatch is how many entries restore adds at a time, while lookups wait.
const restoreBatch = 1000

// restore adds entries of earlier runs, the most recently used first. They rank as less recently used than all entries
// of this run. It does not change known entries.
func (x *index) restore(list []found) {
	for batch := range slices.Chunk(list, restoreBatch) {
		x.mu.Lock()
		for _, e := range batch {
			if !x.entries.Contains(e.key) {
				x.entries.PutLast(e.key, &indexed{e.key, e.sources, e.used}, e.size)
			}
		}
		x.mu.Unlock()
	}
}

// use records a hit. renew is true if the file's modification time is at least maxAge old.
func (x *index) use(k Key, size int64, sources []string, now time.Time, maxAge time.Duration) (renew bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, ok := x.entries.Get(k)
	if !ok { // another process wrote it, or the scan has not reached it
		x.entries.Put(k, &indexed{k, sources, now}, size)
		return true
	}
	if now.Sub(i.used) < maxAge {
		return false
	}
	i.used = now
	return true
}

func (x *index) remove(k Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.entries.Remove(k)
}

// evictionCandidate returns the least recently used entry if all entries together exceed maxBytes.
func (x *index) evictionCandidate(maxBytes int64) (k Key, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.entries.Bytes() <= maxBytes {
		return k, false
	}
	return x.entries.Oldest()
}

// matching returns the selected entries with their sizes.
func (x *index) matching(s Selection) map[Key]int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	m := map[Key]int64{}
	for i, size := range x.entries.All() {
		if s.Matches(i.sources...) {
			m[i.key] = size
		}
	}
	return m
}

func (x *index) sum() (entries int, bytes int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.entries.Len(), x.entries.Bytes()
}
