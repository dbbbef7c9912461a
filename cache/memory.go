package cache

import (
	"math"
	"time"

	"github.com/maypok86/otter/v2"
)

// memory is the first tier. otter evicts by frequency and recency, and serves hits without a lock.
type memory struct {
	entries  *otter.Cache[Key, *Entry]
	maxBytes int64
}

func newMemory(maxBytes int64) (*memory, error) {
	c, err := otter.New(&otter.Options[Key, *Entry]{
		MaximumWeight: uint64(maxBytes),
		Weigher:       func(_ Key, e *Entry) uint32 { return uint32(min(e.size(), math.MaxUint32)) },
	})
	if err != nil {
		return nil, err
	}
	return &memory{entries: c, maxBytes: maxBytes}, nil
}

func (m *memory) get(k Key, now func() time.Time) *Entry {
	e, ok := m.entries.GetIfPresent(k)
	if !ok {
		return nil
	}
	if !e.Expires.IsZero() && e.expired(now()) { // few entries expire, and reading the clock is slow
		m.entries.Invalidate(k)
		return nil
	}
	return e
}

// put stores an entry unless it is larger than half of the tier.
func (m *memory) put(k Key, e *Entry) {
	if e.size() <= m.maxBytes/2 {
		m.entries.Set(k, e)
	}
}

func (m *memory) purge(selected func(*Entry) bool) (n int, bytes int64) {
	for k, e := range m.entries.All() {
		if selected(e) {
			m.entries.Invalidate(k)
			n++
			bytes += int64(len(e.Body))
		}
	}
	return n, bytes
}

func (m *memory) size() (entries int, bytes int64) {
	return m.entries.EstimatedSize(), int64(m.entries.WeightedSize())
}
