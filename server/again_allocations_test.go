//go:build !race

package server_test

import "testing"

// TestAgainAllocations: an answer that is sent again allocates nothing but the name for the system's look at the file. The race
// detector drops some objects of a sync.Pool.
func TestAgainAllocations(t *testing.T) {
	s := cachedStage(t)
	url := s.signed("10x10/a/b.png")
	s.wire(request("GET", url))
	s.wire(request("GET", url))
	if after, before := s.server.AgainAllocations(request("GET", url)); after > 1 || before > 1 {
		t.Errorf("%v and %v allocations, expected 1", after, before)
	}
}
