package main

import (
	"fmt"
	"sync"
	"testing"
)

// Some time after a burst, the resident memory may exceed the memory before it by this share of the increase, and by a
// fixed number of bytes that fluctuates anyway.
const (
	burstShare = 4
	burstSlack = 64 << 20
)

// TestMemoryGoesBack has a burst of large pictures made, each of which is held in memory as a whole, and waits for the
// memory to go back to the system.
func TestMemoryGoesBack(t *testing.T) {
	t.Parallel()
	// a busy machine refuses none
	s := startReal(t, "--result-cache", "off", "--queue-timeout", "10m", "--process-timeout", "10m")
	s.photo("photo.jpg", 4000, 3000)
	burst := func(jobs int) {
		var clients sync.WaitGroup
		for n := range jobs {
			clients.Go(func() {
				if r := s.get(
					s.signed(fmt.Sprintf("fit-in/%dx2400/filters:rotate(90):format(jpeg)/photo.jpg",
						4000+n))); r.err != nil ||
					r.status != 200 {
					t.Errorf("answer %d %v %.200s", r.status, r.err, r.body)
				}
			})
		}
		clients.Wait()
	}
	burst(2) // what stays once anything was made at all
	before := s.process("VmRSS")
	burst(16)
	most := s.process("VmHWM")
	bound := before + max(burstSlack, (most-before)/burstShare)
	waitFor(t, func() bool { return s.process("VmRSS") <= bound }, func() string {
		return fmt.Sprintf(
			"%d MB are resident a minute after a burst, expected at most %d; before it %d, at most %d",
			s.process("VmRSS")>>20, bound>>20, before>>20, most>>20,
		)
	})
	t.Logf("resident: %d MB before, %d at most, %d at rest", before>>20, most>>20, s.process("VmRSS")>>20)
}
