//go:build !race

package server_test

import "testing"

// TestCachedAllocations: a response from the cache allocates nothing but the name for the system's look at the file.
// The race detector drops some objects of a sync.Pool.
func TestCachedAllocations(t *testing.T) {
	s := cachedStage(t)
	url := s.signed("10x10/a/b.png")
	s.warm(url)
	if n := s.server.CacheAllocations(request("GET", s.url+url, "Connection: keep-alive", "User-Agent: x")); n > 1 {
		t.Errorf("%v allocations, expected 1", n)
	}
}
