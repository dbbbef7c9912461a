package admission

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

func TestSpeedRatio(t *testing.T) {
	for _, tc := range []struct {
		estimated, took time.Duration
		times           int
		min, max        float64
	}{
		{time.Second, time.Second, 50, 1, 1},
		{time.Second, 2 * time.Second, 1, 1.5, 1.51},
		{time.Second, 2 * time.Second, 500, 1.99, 2},
		{time.Second, time.Hour, 500, 20, 20},
		{time.Hour, time.Second, 500, 0.05, 0.05},
		{0, time.Hour, 500, 1, 1},
	} {
		s := newSpeed()
		for range tc.times {
			s.record(tc.estimated, tc.took)
		}
		if got := s.ratio(); got < tc.min-1e-9 || got > tc.max+1e-9 {
			t.Errorf("%s for an estimate of %s: %v, want %v to %v", tc.took, tc.estimated, got, tc.min, tc.max)
		}
	}
}

// TestBacklog holds what is predicted of running and waiting jobs as time passes.
func TestBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 2, Queue: 10, MaxWait: time.Minute})
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		for _, estimate := range []time.Duration{10 * time.Second, 10 * time.Second, 4 * time.Second} {
			go c.Enter(ctx, Work{Client: "a", Cost: cpu(estimate)})
			synctest.Wait()
		}
		for _, tc := range []struct{ pass, want time.Duration }{
			{0, 12 * time.Second}, // 24 s on two slots
			{4 * time.Second, 8 * time.Second},
			{5500 * time.Millisecond, 3 * time.Second}, // the running jobs count for a tenth of their estimate
			{20 * time.Second, 3 * time.Second},
		} {
			time.Sleep(tc.pass)
			if got := c.Stats().Backlog; got != tc.want {
				t.Errorf("after %s more: %s, want %s", tc.pass, got, tc.want)
			}
			if got := c.RetryAfter(); got != tc.want/2 {
				t.Errorf("after %s more: retry after %s, want %s", tc.pass, got, tc.want/2)
			}
		}
		if s := c.Stats(); s.Running != 2 || s.Waiting != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// TestBacklogFollowsSpeed checks that predictions use the measured speed of the machine.
func TestBacklogFollowsSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 1})
		for range 500 {
			c.speed.record(time.Second, 2*time.Second)
		}
		release, _ := c.Enter(t.Context(), Work{Client: "a", Cost: cpu(10 * time.Second)})
		defer release()
		if got := c.Stats().Backlog.Round(10 * time.Millisecond); got != 20*time.Second {
			t.Errorf("10 s of a machine half as fast as estimated: %s, want 20s", got)
		}
	})
}

func TestRetryAfterOfRejections(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{
		0: time.Second, 5 * time.Second: 5 * time.Second, time.Hour: time.Minute} {
		if got := fault.Of(Overloaded(after, "x")).RetryAfter; got != want {
			t.Errorf("%s: %s, want %s", after, got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for _, tc := range []struct {
			config  Config
			waiting int
			cost    time.Duration
			want    time.Duration
		}{
			// half of a backlog of 16 s
			{Config{Slots: 1, Queue: 1, MaxWait: time.Minute}, 1, 8 * time.Second, 8 * time.Second},
			// a wait of 24 s less half of MaxWait
			{Config{Slots: 1, Queue: 9, MaxWait: 20 * time.Second}, 2, 8 * time.Second, 14 * time.Second},
		} {
			c := New(tc.config)
			ctx, cancel := context.WithCancel(t.Context())
			for range tc.waiting + 1 {
				go c.Enter(ctx, Work{Client: "a", Cost: cpu(tc.cost)})
				synctest.Wait()
			}
			_, err := c.enqueue(Work{Client: "a", Cost: cpu(tc.cost)})
			if got := fault.Of(err); got == nil || got.RetryAfter != tc.want {
				t.Errorf("%+v: %v, want to retry after %s", tc.config, err, tc.want)
			}
			cancel()
			synctest.Wait()
		}
	})
}

// TestExactLimits checks that a job that reaches a limit exactly is admitted.
func TestExactLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 3, Queue: 3, MaxMemory: 100, MaxWait: 10 * time.Second})
		if c.Saturated() != nil {
			t.Error("saturated without a job")
		}
		release, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 60}})
		if err != nil {
			t.Fatal(err)
		}
		more, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 28}})
		if err != nil {
			t.Fatal(err)
		}
		if s := c.Stats(); s.Running != 2 || s.Memory != 88 || s.MaxMemory != 100 {
			t.Errorf("60 and 28 of 100 bytes, of which light jobs have 12: %+v", s)
		}
		release()
		more()
		if release, err = c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 100}}); err != nil {
			t.Errorf("100 of 100 bytes: %v", err)
		}
		release()

		c = New(Config{Slots: 1, Queue: 3, MaxWait: 10 * time.Second})
		release, _ = c.Enter(t.Context(), Work{Client: "a", Cost: cpu(10 * time.Second)})
		ctx, cancel := context.WithCancel(t.Context())
		go c.Enter(ctx, Work{Client: "a", Cost: cpu(time.Second)}) // a predicted wait of exactly MaxWait
		synctest.Wait()
		if s := c.Stats(); s.Waiting != 1 || s.WaitTooLong != 0 {
			t.Errorf("a wait of exactly MaxWait: %+v", s)
		}
		if err := c.Saturated(); err != nil {
			t.Errorf("the wait is exactly MaxWait: %v", err)
		}
		time.Sleep(2 * time.Second)
		release()
		synctest.Wait()
		if s := c.Stats(); s.Waited != 2*time.Second || s.Admitted != 2 {
			t.Errorf("%+v", s)
		}
		cancel()
	})
}
