//go:build linux

package worker

import (
	"context"
	"testing"
)

// TestCancelBeforeTheRequest checks that a cancel message that is read before its request ends the job, and no other.
func TestCancelBeforeTheRequest(t *testing.T) {
	s := &service{}
	s.stop(2)
	for id, want := range map[uint64]bool{1: false, 2: true, 3: false} {
		ctx, cancel := context.WithCancel(t.Context())
		s.begin(id, cancel)
		if ended := ctx.Err() != nil; ended != want {
			t.Errorf("job %d ended: %v, expected %v", id, ended, want)
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.begin(4, cancel)
	if s.stop(4); ctx.Err() == nil {
		t.Error("a job under way goes on")
	}
}
