package remote

import (
	"sync"
	"time"

	"github.com/safelight/safelight/cache/lru"
)

// memoryBytes limits the size of the entries that are kept for revalidation.
const memoryBytes = 64 << 20

// entryOverhead is the approximate memory of an entry besides its body and strings, in bytes.
const entryOverhead = 512

// entry is a cached body with what is needed to revalidate it. It is immutable once it is in the memory.
type entry struct {
	object   *Object
	etag     string        // as the host sent it
	modified string        // as the host sent it; empty if it is not a date
	fresh    time.Duration // freshness lifetime that the host grants with each response
	until    time.Time     // when the next revalidation is due
}

// memory caches entries up to maxBytes and evicts the least recently used ones.
type memory struct {
	maxBytes int64
	mu       sync.Mutex
	entries  *lru.List[string, *entry]
}

func newMemory(maxBytes int64) *memory {
	return &memory{maxBytes: maxBytes, entries: lru.New[string, *entry]()}
}

// get returns the entry of key; nil on a miss.
func (m *memory) get(key string) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, _ := m.entries.Get(key)
	return e
}

// put replaces the entry of key. An entry larger than maxBytes is not cached.
func (m *memory) put(key string, e *entry) {
	o := e.object
	size := int64(entryOverhead + 2*len(key) + cap(o.Data) + len(o.ETag) + len(o.URL) + len(e.etag) + len(e.modified))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries.Remove(key)
	if size > m.maxBytes {
		return
	}
	m.entries.Put(key, e, size)
	for m.entries.Bytes() > m.maxBytes {
		k, _ := m.entries.Oldest()
		m.entries.Remove(k)
	}
}

// remove evicts key.
func (m *memory) remove(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries.Remove(key)
}
