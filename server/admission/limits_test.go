package admission

import (
	"testing"
	"time"

	"github.com/safelight/safelight/imaging"
)

// TestLimitsAreIncluded: what is exactly at a limit is within it.
func TestLimitsAreIncluded(t *testing.T) {
	c := New(Config{Slots: 4, Queue: 4, MaxMemory: 800})
	for _, tc := range []struct {
		cost  imaging.Cost
		heavy bool
	}{
		{imaging.Cost{CPU: lightCPU, Memory: 100}, false},
		{imaging.Cost{CPU: lightCPU + 1}, true},
		{imaging.Cost{Memory: 101}, true},
		{imaging.Cost{Unknown: true}, true},
	} {
		if got := c.isHeavy(tc.cost); got != tc.heavy {
			t.Errorf("%+v is heavy: %t, expected %t", tc.cost, got, tc.heavy)
		}
	}

	// 60 of the eighth for light jobs are taken: 40 remain.
	c.light.memory = 60
	for bytes, want := range map[int64]bool{40: true, 41: false} {
		if got := c.hasReserve(&job{cost: imaging.Cost{Memory: bytes}}); got != want {
			t.Errorf("%d bytes beside 60 of 100: %t, expected %t", bytes, got, want)
		}
	}
	if c.hasReserve(&job{heavy: true}) {
		t.Error("a heavy job takes what is left to light ones")
	}

	// Two heavy jobs keep two of the four workers, so that light ones wait for the other two.
	c = New(Config{Slots: 4, Queue: 4})
	own := &client{}
	for range 2 {
		c.running[&job{heavy: true, cost: cpu(time.Hour), started: time.Now()}] = true
		own.waiting = append(own.waiting, &job{client: own, cost: cpu(200 * time.Millisecond)})
	}
	if got := c.waitBefore(&job{client: own}); got != 200*time.Millisecond {
		t.Errorf("after two light jobs of 200 ms, on two workers: %s, expected 200ms", got)
	}

	// With 100 held, 150 of 400 may be kept: 700 for heavy jobs, 450 are taken.
	c = New(Config{Slots: 4, Queue: 4, MaxMemory: 800, Held: func() int64 { return 100 }})
	c.memory, c.lent = 450, 200
	for bytes, want := range map[int64]bool{150: true, 151: false} {
		release, ok := c.Keep(bytes)
		if ok != want {
			t.Errorf("%d bytes are kept: %t, expected %t", bytes, ok, want)
		}
		if ok {
			release()
		}
	}

	// A quarter may be kept, and lent.
	c = New(Config{Slots: 4, Queue: 4, MaxMemory: 800})
	for bytes, want := range map[int64]bool{200: true, 201: false} {
		release, ok := c.Keep(bytes)
		if ok != want {
			t.Errorf("%d bytes of 800 are kept: %t, expected %t", bytes, ok, want)
		}
		if ok {
			release()
		}
	}
	c = New(Config{Slots: 4, Queue: 4, MaxMemory: 800})
	first, second := c.Lend(), c.Lend()
	for _, tc := range []struct {
		loan  *Loan
		bytes int64
		want  bool
	}{{first, 120, true}, {second, 80, true}, {second, 1, false}} {
		if got := tc.loan.Grow(tc.bytes) == nil; got != tc.want {
			t.Errorf("%d bytes are lent: %t, expected %t", tc.bytes, got, tc.want)
		}
	}
}
