package cache

import (
	"container/list"
	"sync"
	"time"
)

// index knows the files tier's entries: their sizes, what they are made of, and when they were used.
type index struct {
	mu    sync.Mutex
	rows  map[Key]*list.Element
	order *list.List // of *row, used last first
	bytes int64
}

type row struct {
	key     Key
	size    int64
	sources []string
	used    time.Time
}

func newIndex() *index { return &index{rows: map[Key]*list.Element{}, order: list.New()} }

// put notes an entry that was written now.
func (x *index) put(k Key, size int64, sources []string, now time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.take(k)
	x.add(&row{k, size, sources, now}, nil)
}

// found notes an entry of an earlier run in the order of its time, unless it is known already.
func (x *index) found(k Key, size int64, sources []string, used time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.rows[k] != nil {
		return
	}
	after := x.order.Back()
	for after != nil && after.Value.(*row).used.Before(used) {
		after = after.Prev()
	}
	x.add(&row{k, size, sources, used}, after)
}

// add puts r behind after, or first; the caller holds mu.
func (x *index) add(r *row, after *list.Element) {
	x.bytes += r.size
	if after == nil {
		x.rows[r.key] = x.order.PushFront(r)
		return
	}
	x.rows[r.key] = x.order.InsertAfter(r, after)
}

// use notes a hit; renew is true when the file's time is older than age.
func (x *index) use(k Key, size int64, sources []string, now time.Time, age time.Duration) (renew bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.rows[k]
	if e == nil { // another process wrote it, or the search has not come to it
		x.add(&row{k, size, sources, now}, nil)
		return true
	}
	x.order.MoveToFront(e)
	r := e.Value.(*row)
	if now.Sub(r.used) < age {
		return false
	}
	r.used = now
	return true
}

func (x *index) remove(k Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.take(k)
}

// take takes k out; the caller holds mu.
func (x *index) take(k Key) {
	if e := x.rows[k]; e != nil {
		x.bytes -= x.order.Remove(e).(*row).size
		delete(x.rows, k)
	}
}

// oldest returns the entry that was used longest ago, while there are more than maxBytes bytes.
func (x *index) oldest(maxBytes int64) (k Key, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bytes <= maxBytes || x.order.Len() == 0 {
		return k, false
	}
	return x.order.Back().Value.(*row).key, true
}

// matching returns the selected entries with their sizes.
func (x *index) matching(s Selection) map[Key]int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	m := map[Key]int64{}
	for e := x.order.Front(); e != nil; e = e.Next() {
		if r := e.Value.(*row); s.takes(r.sources) {
			m[r.key] = r.size
		}
	}
	return m
}

func (x *index) sum() (entries int, bytes int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.order.Len(), x.bytes
}
