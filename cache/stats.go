package cache

import "sync/atomic"

type counters struct {
	hits            [3]atomic.Int64
	misses          atomic.Int64
	stored, dropped atomic.Int64
}

// TierStats is one tier's use.
type TierStats struct {
	On       bool
	Entries  int64 // 0 for the place far away, which is not counted
	Bytes    int64
	MaxBytes int64 // 0: no bound
	Hits     int64
	Evicted  int64
	Damaged  int64 // entries that were found damaged, and removed
	Failed   int64 // reads and writes that failed
	Paused   bool  // it failed lately, and is left alone for some seconds
}

// Stats is the use of a cache since it was opened.
type Stats struct {
	Memory, Files, Remote TierStats
	Misses                int64 // no tier had it
	Stored                int64 // written to the lower tiers
	Dropped               int64 // not written, because too many waited
	Waiting               int   // to be written
}

// Stats returns the figures of now; a nil Cache has none.
func (c *Cache) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	s := Stats{Misses: c.count.misses.Load(), Stored: c.count.stored.Load(), Dropped: c.count.dropped.Load(), Waiting: len(c.jobs)}
	if c.memory != nil {
		n, b := c.memory.use()
		s.Memory = TierStats{On: true, Entries: int64(n), Bytes: b, MaxBytes: c.config.MemoryBytes}
	}
	if c.files != nil {
		s.Files = c.files.stats()
	}
	if c.remote != nil {
		s.Remote = c.remote.stats()
	}
	for i, t := range []*TierStats{&s.Memory, &s.Files, &s.Remote} {
		t.Hits = c.count.hits[i].Load()
	}
	return s
}
