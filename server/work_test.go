package server

import (
	"context"
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

// order lets jobs come one after the other while the only worker is taken, and returns the order in which they begin.
func order(t *testing.T, l workLimits, gap time.Duration, jobs ...imaging.Cost) (begun []int) {
	t.Helper()
	w := newWorkers(l)
	first, err := w.acquire(t.Context(), imaging.Cost{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for n, cost := range jobs {
		wait.Go(func() {
			release, err := w.acquire(t.Context(), cost)
			if err != nil {
				t.Errorf("job %d: %v", n, err)
				return
			}
			mu.Lock()
			begun = append(begun, n)
			mu.Unlock()
			time.Sleep(time.Millisecond)
			release()
		})
		synctest.Wait()
		time.Sleep(gap)
	}
	first()
	wait.Wait()
	return begun
}

func TestQueueOrder(t *testing.T) {
	l := workLimits{slots: 1, queue: 100, patience: 20 * time.Second}
	for _, c := range []struct {
		name string
		gap  time.Duration
		jobs []imaging.Cost
		want []int
	}{
		{"equal ones as they come", time.Millisecond, []imaging.Cost{cpu(time.Second), cpu(time.Second), cpu(time.Second)}, []int{0, 1, 2}},
		{"free ones as they come", 0, []imaging.Cost{{}, {}, {}}, []int{0, 1, 2}},
		{"cheap before dear", time.Millisecond, []imaging.Cost{cpu(time.Second), cpu(10 * time.Millisecond)}, []int{1, 0}},
		{"dear ones grow old", 3 * time.Second, []imaging.Cost{cpu(time.Second), cpu(time.Millisecond), cpu(time.Millisecond)}, []int{1, 0, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := order(t, l, c.gap, c.jobs...); !slices.Equal(got, c.want) {
					t.Errorf("began in the order %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestQueueRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits workLimits
		jobs   []imaging.Cost
		last   imaging.Cost
		want   fault.Code
	}{
		{"room", workLimits{slots: 1, queue: 2, patience: time.Minute}, []imaging.Cost{cpu(time.Second), cpu(time.Second)}, cpu(time.Second), ""},
		{"full", workLimits{slots: 1, queue: 2, patience: time.Minute}, []imaging.Cost{cpu(time.Second), cpu(time.Second), cpu(time.Second)}, cpu(time.Second), fault.Overloaded},
		{"too long", workLimits{slots: 1, queue: 100, patience: 10 * time.Second}, []imaging.Cost{cpu(5 * time.Second), cpu(5 * time.Second), cpu(5 * time.Second)}, cpu(5 * time.Second), fault.Overloaded},
		{"too long for dear work only", workLimits{slots: 1, queue: 100, patience: 10 * time.Second}, []imaging.Cost{cpu(5 * time.Second), cpu(5 * time.Second), cpu(5 * time.Second)}, cpu(time.Millisecond), ""},
		{"more workers", workLimits{slots: 3, queue: 100, patience: 10 * time.Second}, []imaging.Cost{cpu(5 * time.Second), cpu(5 * time.Second), cpu(5 * time.Second)}, cpu(5 * time.Second), ""},
		{"never fits", workLimits{slots: 3, queue: 100, memory: 100 << 20}, nil, imaging.Cost{Memory: 101 << 20}, fault.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorkers(c.limits)
				ctx, cancel := context.WithCancel(t.Context())
				defer synctest.Wait()
				defer cancel()
				for _, cost := range c.jobs {
					go w.acquire(ctx, cost)
					synctest.Wait()
				}
				_, err := w.enter(c.last)
				if fault.CodeOf(err) != c.want {
					t.Fatalf("error %v, want %q", err, c.want)
				}
				if s := w.Stats(); c.want != "" && s.Full+s.Long+s.Large != 1 || c.want == fault.TooLarge && s.Large != 1 {
					t.Errorf("counted as %+v", s)
				}
				if c.want == fault.Overloaded && fault.Of(err).RetryAfter < time.Second {
					t.Errorf("Retry-After %v, want a second at least", fault.Of(err).RetryAfter)
				}
			})
		})
	}
}

func TestTurnAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkers(workLimits{slots: 1, queue: 2, patience: time.Minute})
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		for n := range 3 {
			if err := w.turnAway(); err != nil {
				t.Errorf("turned away with %d in the queue of 2: %v", n-1, err)
			}
			go w.acquire(ctx, cpu(time.Second))
			synctest.Wait()
		}
		if err := w.turnAway(); fault.CodeOf(err) != fault.Overloaded || w.Stats().Full != 1 {
			t.Errorf("the queue is full: %v, %+v", err, w.Stats())
		}
	})
}

func TestQueuePatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkers(workLimits{slots: 1, queue: 5, patience: time.Second})
		release, _ := w.acquire(t.Context(), imaging.Cost{})
		began := time.Now()
		_, err := w.acquire(t.Context(), imaging.Cost{})
		if fault.CodeOf(err) != fault.Overloaded || time.Since(began) != time.Second {
			t.Errorf("waited %v, error %v", time.Since(began), err)
		}
		release()
		release()
		if s := w.Stats(); s.Waiting != 0 || s.Running != 0 || s.Expired != 1 || s.Admitted != 1 {
			t.Errorf("figures after it: %+v", s)
		}
	})
}

func TestClientThatHangsUpLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkers(workLimits{slots: 1, queue: 1, patience: time.Minute})
		release, _ := w.acquire(t.Context(), imaging.Cost{})
		ctx, hangUp := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := w.acquire(ctx, cpu(time.Second)); done <- err }()
		synctest.Wait()
		if _, err := w.enter(imaging.Cost{}); fault.CodeOf(err) != fault.Overloaded {
			t.Fatalf("the queue has room: %v", err)
		}
		hangUp()
		if err := <-done; fault.CodeOf(err) != fault.Canceled {
			t.Errorf("error %v, want %s", err, fault.Canceled)
		}
		if s := w.Stats(); s.Waiting != 0 || s.Abandoned != 1 {
			t.Errorf("figures after it: %+v", s)
		}
		go w.acquire(t.Context(), imaging.Cost{})
		synctest.Wait()
		release()
		synctest.Wait()
		if s := w.Stats(); s.Admitted != 2 || s.Running != 1 {
			t.Errorf("its place was not given on: %+v", s)
		}
	})
}

func TestMemoryBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkers(workLimits{slots: 4, queue: 10, patience: 8 * time.Second, memory: 100})
		first, _ := w.acquire(t.Context(), imaging.Cost{Memory: 60})
		var mu sync.Mutex
		var begun []string
		var leave []func()
		job := func(name string, memory int64) {
			go func() {
				release, err := w.acquire(t.Context(), imaging.Cost{Memory: memory})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				begun, leave = append(begun, name), append(leave, release)
			}()
			synctest.Wait()
		}
		job("large", 50)
		job("small", 30)
		if !slices.Equal(begun, []string{"small"}) {
			t.Fatalf("began: %v, want what fits", begun)
		}
		time.Sleep(3 * time.Second)
		leave[0]()
		job("later", 30) // large has waited long enough: nothing passes it any more
		if !slices.Equal(begun, []string{"small"}) || w.Stats().Memory != 60 {
			t.Fatalf("began: %v, %+v", begun, w.Stats())
		}
		first()
		synctest.Wait()
		slices.Sort(begun) // the two begin at once
		if !slices.Equal(begun, []string{"large", "later", "small"}) || w.Stats().Memory != 80 {
			t.Errorf("began: %v, %+v", begun, w.Stats())
		}
	})
}

func TestThreadsFollowLoad(t *testing.T) {
	w := newWorkers(workLimits{slots: 1, queue: 10})
	release, _ := w.acquire(t.Context(), imaging.Cost{})
	if n := w.threads(); n != 1 {
		t.Errorf("%d threads with one worker", n)
	}
	release()
	w = newWorkers(workLimits{slots: 1024, queue: 10})
	for n := range 64 {
		_, _ = w.acquire(t.Context(), imaging.Cost{})
		if got := w.threads(); n > 0 && got*(n+1) > 1024 || got < 1 {
			t.Errorf("%d threads for each of %d jobs", got, n+1)
		}
	}
	if n := w.threads(); n != 1 {
		t.Errorf("%d threads with 64 jobs", n)
	}
}

func TestRestAfterABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkers(workLimits{slots: 2, queue: 10})
		var calls atomic.Int64
		w.idle = func() { calls.Add(1) }
		job := func(memory int64) {
			release, _ := w.acquire(t.Context(), imaging.Cost{Memory: memory})
			release()
		}
		job(1 << 20)
		time.Sleep(time.Minute)
		if calls.Load() != 0 {
			t.Fatal("a small job was tidied up after")
		}
		job(burstBytes)
		time.Sleep(restAfter / 2)
		job(1)
		time.Sleep(restAfter * 3 / 4)
		if calls.Load() != 0 {
			t.Fatal("tidied up while jobs came")
		}
		time.Sleep(time.Minute)
		if calls.Load() != 1 {
			t.Errorf("tidied up %d times, want once", calls.Load())
		}
	})
}
