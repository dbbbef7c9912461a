package cache

import (
	"math"
	"time"

	"github.com/maypok86/otter/v2"
)

// memory is the first tier: entries by what they are used, up to a sum of bytes.
type memory struct {
	entries *otter.Cache[Key, *Entry]
	bound   int64
}

func newMemory(bound int64) (*memory, error) {
	c, err := otter.New(&otter.Options[Key, *Entry]{
		MaximumWeight: uint64(bound),
		Weigher:       func(_ Key, e *Entry) uint32 { return uint32(min(e.size(), math.MaxUint32)) },
	})
	if err != nil {
		return nil, err
	}
	return &memory{entries: c, bound: bound}, nil
}

func (m *memory) get(k Key, now time.Time) *Entry {
	e, ok := m.entries.GetIfPresent(k)
	if !ok {
		return nil
	}
	if e.expired(now) {
		m.entries.Invalidate(k)
		return nil
	}
	return e
}

// put keeps an entry, unless it would take maxBytes of the memory by itself.
func (m *memory) put(k Key, e *Entry) {
	if e.size() <= m.bound/2 {
		m.entries.Set(k, e)
	}
}

func (m *memory) purge(gone func(*Entry) bool) (n int, bytes int64) {
	for k, e := range m.entries.All() {
		if gone(e) {
			m.entries.Invalidate(k)
			n++
			bytes += int64(len(e.Body))
		}
	}
	return n, bytes
}

func (m *memory) use() (entries int, bytes int64) {
	return m.entries.EstimatedSize(), int64(m.entries.WeightedSize())
}
