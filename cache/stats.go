package cache

import "sync/atomic"

type counters struct {
	hits            [3]atomic.Int64
	misses          atomic.Int64
	stored, dropped atomic.Int64
}

// TierStats are the statistics of one tier since the cache was opened.
type TierStats struct {
	On       bool
	Entries  int64 // always 0 for the remote tier, where it is unknown, as is Bytes
	Bytes    int64
	MaxBytes int64 // 0: no limit
	Hits     int64
	Evicted  int64
	Damaged  int64 // damaged entries that were removed
	Failed   int64 // failed reads and writes
	Paused   bool  // the circuit breaker is open
}

// Stats are the statistics of a cache since it was opened.
type Stats struct {
	Memory, Files, Remote TierStats
	Misses                int64 // lookups that no tier answered
	Stored                int64 // results written to the lower tiers
	Dropped               int64 // results not written because the queue was full
	Waiting               int   // results in the queue
}

// Stats returns the current statistics; zero for a nil Cache.
func (c *Cache) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	s := Stats{Misses: c.count.misses.Load(), Stored: c.count.stored.Load(), Dropped: c.count.dropped.Load(),
		Waiting: len(c.jobs)}
	if c.memory != nil {
		n, b := c.memory.size()
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
