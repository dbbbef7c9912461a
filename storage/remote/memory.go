package remote

import (
	"container/list"
	"sync"
	"time"
)

// perEntry is about what an entry costs besides its body and strings, in bytes.
const perEntry = 512

// entry is a kept body with what is needed to ask whether it is still the one. It is never
// changed once it is in the memory.
type entry struct {
	object   *Object
	etag     string        // as the host sent it
	modified string        // as the host sent it; empty when it is no date
	fresh    time.Duration // what the host grants after each answer
	until    time.Time     // no need to ask before
}

// memory keeps entries up to a sum of bytes, the latest used ones.
type memory struct {
	mu    sync.Mutex
	bound int64
	size  int64
	order *list.List // of *slot, latest used first
	slots map[string]*list.Element
}

type slot struct {
	key   string
	size  int64
	entry *entry
}

func newMemory(bound int64) *memory {
	return &memory{bound: bound, order: list.New(), slots: map[string]*list.Element{}}
}

// get returns what is kept for key, nil when nothing is.
func (m *memory) get(key string) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.slots[key]
	if !ok {
		return nil
	}
	m.order.MoveToFront(e)
	return e.Value.(*slot).entry
}

// put keeps e for key in the place of what was there; an entry larger than the bound is not kept.
func (m *memory) put(key string, e *entry) {
	o := e.object
	size := int64(perEntry + 2*len(key) + cap(o.Data) + len(o.ETag) + len(o.URL) + len(e.etag) + len(e.modified))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(m.slots[key])
	if size > m.bound {
		return
	}
	m.slots[key] = m.order.PushFront(&slot{key: key, size: size, entry: e})
	m.size += size
	for m.size > m.bound {
		m.remove(m.order.Back())
	}
}

// drop forgets key.
func (m *memory) drop(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(m.slots[key])
}

func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.order.Init()
	clear(m.slots)
	m.size = 0
}

// remove takes out an element of order, nil allowed; the caller holds mu.
func (m *memory) remove(e *list.Element) {
	if e == nil {
		return
	}
	s := m.order.Remove(e).(*slot)
	delete(m.slots, s.key)
	m.size -= s.size
}
