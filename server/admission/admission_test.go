package admission

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

func cpu(d time.Duration) imaging.Cost { return imaging.Cost{CPU: d} }

// TestQueueOrder holds the order of the jobs of one client, which are queued one after the other while the only slot is
// taken.
func TestQueueOrder(t *testing.T) {
	for _, tc := range []struct {
		name string
		jobs []imaging.Cost
		want []int
	}{
		{"in the order of arrival", []imaging.Cost{cpu(time.Second), cpu(2 * time.Second), cpu(time.Second)},
			[]int{0, 1, 2}},
		{"no cost, in the order of arrival", []imaging.Cost{{}, {}, {}}, []int{0, 1, 2}},
		{"light jobs in the order of arrival", []imaging.Cost{cpu(lightCPU), cpu(time.Millisecond)}, []int{0, 1}},
		{"light ones pass heavy ones", []imaging.Cost{cpu(time.Second), cpu(time.Second), cpu(time.Millisecond)},
			[]int{2, 0, 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New(Config{Slots: 1, Queue: 100, MaxWait: 20 * time.Second})
				heavy, _ := c.Enter(t.Context(), Work{Client: "a", Cost: cpu(time.Second)})
				light, _ := c.Enter(t.Context(), Work{Client: "a"})
				var mu sync.Mutex
				var started []int
				var wait sync.WaitGroup
				for n, cost := range tc.jobs {
					wait.Go(func() {
						release, err := c.Enter(t.Context(), Work{Client: "a", Cost: cost})
						if err != nil {
							t.Errorf("job %d: %v", n, err)
							return
						}
						mu.Lock()
						started = append(started, n)
						mu.Unlock()
						time.Sleep(max(cost.CPU, time.Millisecond))
						release()
					})
					synctest.Wait()
				}
				light()
				time.Sleep(time.Second / 2)
				heavy()
				if wait.Wait(); !slices.Equal(started, tc.want) {
					t.Errorf("started in the order %v, want %v", started, tc.want)
				}
			})
		})
	}
}

func TestQueueRejects(t *testing.T) {
	for _, tc := range []struct {
		name   string
		limits Config
		jobs   []imaging.Cost
		last   imaging.Cost
		want   fault.Code
	}{
		{"room", Config{Slots: 1, Queue: 2, MaxWait: time.Minute}, []imaging.Cost{cpu(time.Second), cpu(time.Second)},
			cpu(time.Second), ""},
		{"full", Config{Slots: 1, Queue: 2, MaxWait: time.Minute},
			[]imaging.Cost{cpu(time.Second), cpu(time.Second), cpu(time.Second)}, cpu(time.Second), fault.Overloaded},
		{"too long", Config{Slots: 1, Queue: 100, MaxWait: 10 * time.Second},
			[]imaging.Cost{cpu(5 * time.Second), cpu(5 * time.Second), cpu(5 * time.Second)}, cpu(5 * time.Second),
			fault.Overloaded},
		{"too long for expensive jobs only", Config{Slots: 1, Queue: 100, MaxWait: 10 * time.Second},
			[]imaging.Cost{cpu(5 * time.Second), cpu(5 * time.Second), cpu(5 * time.Second)}, cpu(time.Millisecond),
			""},
		{"more workers", Config{Slots: 3, Queue: 100, MaxWait: 10 * time.Second},
			[]imaging.Cost{cpu(5 * time.Second), cpu(5 * time.Second), cpu(5 * time.Second)}, cpu(5 * time.Second), ""},
		{"never fits", Config{Slots: 3, Queue: 100, MaxMemory: 100 << 20}, nil, imaging.Cost{Memory: 101 << 20},
			fault.TooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := New(tc.limits)
				ctx, cancel := context.WithCancel(t.Context())
				defer synctest.Wait()
				defer cancel()
				for _, cost := range tc.jobs {
					go c.Enter(ctx, Work{Client: "a", Cost: cost})
					synctest.Wait()
				}
				_, err := c.enqueue(Work{Client: "a", Cost: tc.last})
				if fault.CodeOf(err) != tc.want {
					t.Fatalf("error %v, want %q", err, tc.want)
				}
				if s := c.Stats(); tc.want != "" && s.QueueFull+s.WaitTooLong+s.TooLarge != 1 ||
					tc.want == fault.TooLarge && s.TooLarge != 1 {
					t.Errorf("counted as %+v", s)
				}
				if tc.want == fault.Overloaded && fault.Of(err).RetryAfter < time.Second {
					t.Errorf("Retry-After %v, want a second at least", fault.Of(err).RetryAfter)
				}
			})
		})
	}
}

func TestRejectEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 1, Queue: 2, MaxWait: time.Minute})
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		for n := range 3 {
			if err := c.RejectEarly("a"); err != nil {
				t.Errorf("rejected with %d in the queue of 2: %v", n-1, err)
			}
			go c.Enter(ctx, Work{Client: "a", Cost: cpu(time.Second)})
			synctest.Wait()
		}
		if err := c.RejectEarly("a"); fault.CodeOf(err) != fault.Overloaded || c.Stats().QueueFull != 1 {
			t.Errorf("the queue is full: %v, %+v", err, c.Stats())
		}
	})
}

func TestMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 1, Queue: 5, MaxWait: time.Second})
		release, _ := c.Enter(t.Context(), Work{Client: "a"})
		start := time.Now()
		_, err := c.Enter(t.Context(), Work{Client: "a"})
		if fault.CodeOf(err) != fault.Overloaded || time.Since(start) != time.Second {
			t.Errorf("waited %v, error %v", time.Since(start), err)
		}
		release()
		release()
		if s := c.Stats(); s.Waiting != 0 || s.Running != 0 || s.TimedOut != 1 || s.Admitted != 1 {
			t.Errorf("figures after it: %+v", s)
		}
	})
}

func TestDisconnectedClientLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 1, Queue: 1, MaxWait: time.Minute})
		release, _ := c.Enter(t.Context(), Work{Client: "a"})
		ctx, disconnect := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := c.Enter(ctx, Work{Client: "a", Cost: cpu(time.Second)}); done <- err }()
		synctest.Wait()
		if _, err := c.enqueue(Work{Client: "a", Cost: imaging.Cost{}}); fault.CodeOf(err) != fault.Overloaded {
			t.Fatalf("the queue has room: %v", err)
		}
		disconnect()
		if err := <-done; fault.CodeOf(err) != fault.Canceled {
			t.Errorf("error %v, want %s", err, fault.Canceled)
		}
		if s := c.Stats(); s.Waiting != 0 || s.Canceled != 1 {
			t.Errorf("figures after it: %+v", s)
		}
		go c.Enter(t.Context(), Work{Client: "a"})
		synctest.Wait()
		release()
		synctest.Wait()
		if s := c.Stats(); s.Admitted != 2 || s.Running != 1 {
			t.Errorf("the next job did not get its place: %+v", s)
		}
	})
}

func TestMemoryBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 4, Queue: 10, MaxWait: 8 * time.Second, MaxMemory: 100})
		first, _ := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 50}})
		var mu sync.Mutex
		var started []string
		var leave []func()
		job := func(name string, memory int64) {
			go func() {
				release, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: memory}})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				started, leave = append(started, name), append(leave, release)
			}()
			synctest.Wait()
		}
		job("large", 40)
		job("small", 30)
		if !slices.Equal(started, []string{"small"}) {
			t.Fatalf("started: %v, want what fits", started)
		}
		time.Sleep(3 * time.Second)
		leave[0]()
		job("later", 30) // large has waited long enough: nothing passes it
		if !slices.Equal(started, []string{"small"}) || c.Stats().Memory != 50 {
			t.Fatalf("started: %v, %+v", started, c.Stats())
		}
		first()
		synctest.Wait()
		slices.Sort(started) // the two start together
		if !slices.Equal(started, []string{"large", "later", "small"}) || c.Stats().Memory != 70 {
			t.Errorf("started: %v, %+v", started, c.Stats())
		}
	})
}

func TestThreadsFollowLoad(t *testing.T) {
	c := New(Config{Slots: 1, Queue: 10})
	release, _ := c.Enter(t.Context(), Work{Client: "a"})
	if n := c.Threads(); n != 1 {
		t.Errorf("%d threads with one worker", n)
	}
	release()
	c = New(Config{Slots: 1024, Queue: 10})
	for n := range 64 {
		_, _ = c.Enter(t.Context(), Work{Client: "a"})
		if got := c.Threads(); n > 0 && got*(n+1) > 1024 || got < 1 {
			t.Errorf("%d threads for each of %d jobs", got, n+1)
		}
	}
	if n := c.Threads(); n != 1 {
		t.Errorf("%d threads with 64 jobs", n)
	}
}

// TestPassingAJobThatLacksMemory holds how long smaller jobs pass one that waits for memory: a quarter of MaxWait.
func TestPassingAJobThatLacksMemory(t *testing.T) {
	for _, tc := range []struct {
		maxWait, waited time.Duration
		passes          bool
	}{{8 * time.Second, 2 * time.Second, true}, {8 * time.Second, 2*time.Second + 1, false}, {0, time.Hour, true}} {
		synctest.Test(t, func(t *testing.T) {
			c := New(Config{Slots: 4, Queue: 10, MaxWait: tc.maxWait, MaxMemory: 100})
			ctx, cancel := context.WithCancel(t.Context())
			defer synctest.Wait()
			defer cancel()
			for n, memory := range []int64{50, 40, 30} { // the second waits
				if n == 2 {
					time.Sleep(tc.waited)
				}
				go c.Enter(ctx, Work{Client: "a", Cost: imaging.Cost{Memory: memory}})
				synctest.Wait()
			}
			if passes := c.Stats().Running == 2; passes != tc.passes {
				t.Errorf("MaxWait %s: after %s a smaller job passes: %v", tc.maxWait, tc.waited, passes)
			}
		})
	}
}

// TestWaitingJobsCountForThreads has a job wait for memory although a slot is free.
func TestWaitingJobsCountForThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 4, Queue: 10, MaxMemory: 100})
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		for n, want := range []int{4, 2, 1} {
			go c.Enter(ctx, Work{Client: "a", Cost: imaging.Cost{Memory: 80}})
			synctest.Wait()
			if got := c.Threads(); got != want {
				t.Errorf("%d threads with 1 job running and %d waiting, want %d", got, n, want)
			}
		}
	})
}

// TestNoMaxWait checks that without MaxWait a job waits however long the queue is predicted to be.
func TestNoMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 1, Queue: 2})
		release, _ := c.Enter(t.Context(), Work{Client: "a", Cost: cpu(time.Hour)})
		done := make(chan error)
		go func() { _, err := c.Enter(t.Context(), Work{Client: "a", Cost: cpu(time.Hour)}); done <- err }()
		time.Sleep(2 * time.Hour)
		if s := c.Stats(); s.Waiting != 1 || c.Saturated() != nil {
			t.Errorf("after two hours: %+v, %v", s, c.Saturated())
		}
		release()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestIdleAfterABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		c := New(Config{Slots: 2, Queue: 10, Idle: func() { calls.Add(1) }})
		job := func(memory int64) {
			release, _ := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: memory}})
			release()
		}
		job(1 << 20)
		time.Sleep(time.Minute)
		if calls.Load() != 0 {
			t.Fatal("Idle was called after a small job")
		}
		job(burstBytes)
		time.Sleep(idleAfter / 2)
		job(1)
		time.Sleep(idleAfter * 3 / 4)
		if calls.Load() != 0 {
			t.Fatal("Idle was called between two jobs")
		}
		time.Sleep(time.Minute)
		if calls.Load() != 1 {
			t.Errorf("Idle was called %d times, want once", calls.Load())
		}
		job(burstBytes)
		time.Sleep(time.Minute)
		if calls.Load() != 2 {
			t.Errorf("Idle was called %d times after a burst of exactly %d bytes, want twice", calls.Load(), burstBytes)
		}
	})
}

// TestHeld: what processes hold between jobs counts as memory, but does not keep the only job from running.
func TestHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := int64(150)
		c := New(Config{Slots: 3, Queue: 10, MaxMemory: 100, Held: func() int64 { return held }})
		first, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 30}})
		if err != nil {
			t.Fatalf("the only job: %v", err)
		}
		held = 50
		started := false
		go func() {
			release, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 30}})
			if err != nil {
				t.Error(err)
				return
			}
			started = true
			release()
		}()
		if synctest.Wait(); started {
			t.Error("a second job of 30 started beside 30 and 50 that are held, of 100")
		}
		first()
		if synctest.Wait(); !started {
			t.Error("the second job did not start when it was the only one")
		}
	})
}

// TestFreedDuringABurst: memory is given back every 30 s while jobs follow each other without a pause.
func TestFreedDuringABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		c := New(Config{Slots: 2, Queue: 10, Idle: func() { calls.Add(1) }})
		beside, err := c.Enter(t.Context(), Work{Client: "a"}) // no idle moment
		if err != nil {
			t.Fatal(err)
		}
		defer beside()
		for range 100 {
			release, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: freeBytes}})
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			release()
		}
		if synctest.Wait(); calls.Load() != 3 {
			t.Errorf("Idle was called %d times in 100 s, expected 3", calls.Load())
		}
	})
}
