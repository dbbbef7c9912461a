package cache

import "sync"

// backlog is how many bytes of jobs wait or are being written. Its zero value is empty.
type backlog struct {
	mu    sync.Mutex
	bytes int64
	empty chan struct{} // closed once bytes are 0; nil if nothing waits for that
}

// add counts bytes; false if they would exceed the limit.
func (b *backlog) add(bytes, limit int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes+bytes > limit {
		return false
	}
	b.bytes += bytes
	return true
}

// remove counts bytes down.
func (b *backlog) remove(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes -= bytes; b.bytes == 0 && b.empty != nil {
		close(b.empty)
		b.empty = nil
	}
}

// whenEmpty returns a channel that is closed once nothing waits.
func (b *backlog) whenEmpty() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.empty == nil {
		b.empty = make(chan struct{})
	}
	empty := b.empty
	if b.bytes == 0 {
		close(b.empty)
		b.empty = nil
	}
	return empty
}
