//go:build !race

package server_test

import (
	"testing"
	"time"
)

// TestCachedAllocations: a response from the cache allocates nothing while the version of its source is cached. The
// race detector drops some objects of a sync.Pool.
func TestCachedAllocations(t *testing.T) {
	s := cachedStage(t)
	s.rules.Versions.Age = time.Hour
	url := s.signed("10x10/a/b.png")
	s.warm(url)
	if n := s.server.CacheAllocations(request("GET", s.url+url, "Connection: keep-alive", "User-Agent: x")); n > 0 {
		t.Errorf("%v allocations, expected none", n)
	}
}
