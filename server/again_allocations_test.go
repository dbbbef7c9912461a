//go:build !race

package server_test

import "testing"

// TestAgainAllocations: an answer that is sent again allocates nothing but the name for the system's look at the file. The race
// detector drops some objects of a sync.Pool.
func TestAgainAllocations(t *testing.T) {
	s := cachedStage(t)
	url := s.signed("10x10/a/b.png")
	s.warm(url)
	if n := s.server.AgainAllocations(request("GET", s.url+url, "Connection: keep-alive", "User-Agent: x")); n > 1 {
		t.Errorf("%v allocations, expected 1", n)
	}
}
