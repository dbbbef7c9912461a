//go:build linux

package worker

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// TestBudget runs three jobs, each within what one may take, that exceed the budget together: the one that exceeds its
// estimate by more than the others ends, and the others go on.
func TestBudget(t *testing.T) {
	p := open(t, func(c *Config) { c.Workers = 3 })
	p.config.Budget = p.rest(t, 3) + 280<<20
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	limits := imaging.DefaultLimits()
	limits.Timeout = 0
	type end struct {
		name string
		err  error
	}
	ends := make(chan end)
	names := []string{"hold 100 100", "hold 60 100", "hold 0 140"}
	for n, name := range names {
		go func() {
			_, err := p.Process(ctx, source(name, picture(t, 9, 9)), imaging.Operations{}, limits)
			ends <- end{name, err}
		}()
		for n < 2 && p.announced() <= n { // or it is judged without its estimate
			time.Sleep(time.Millisecond)
		}
	}
	if first := <-ends; first.name != "hold 0 140" || fault.CodeOf(first.err) != fault.Overloaded ||
		fault.Of(first.err).RetryAfter == 0 {
		t.Errorf(
			"the first to end is %q, %v, expected the one beyond its estimate, OVERLOADED with RetryAfter",
			first.name, first.err,
		)
	}
	stop()
	for range names[1:] {
		if one := <-ends; fault.CodeOf(one.err) != fault.Canceled {
			t.Errorf("%s: %v, expected to go on until it was canceled", one.name, one.err)
		}
	}
	if n := p.count(ReasonBudget); n != 1 {
		t.Errorf("%v workers were lost, expected one by the budget", p.Workers().Lost)
	}
}

// rest starts so many workers and returns what they hold while they have nothing to do.
func (p *Pool) rest(t *testing.T, n int) int64 {
	t.Helper()
	var held []*child
	for range n {
		c, err := p.acquire(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	for _, c := range held {
		p.release(c)
	}
	return p.Held()
}

// announced returns how many jobs under way have told their estimate.
func (p *Pool) announced() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.live {
		if c.estimated.Load() > 0 {
			n++
		}
	}
	return n
}

// TestBudgetOfIdleWorkers checks that idle workers count, in Held too, and end before a worker that has something to
// do.
func TestBudgetOfIdleWorkers(t *testing.T) {
	p := open(t, func(c *Config) { c.Workers, c.Grace = 3, time.Minute }) // a busy machine does not lose the third
	rest := p.rest(t, 3)
	if rest < 3*(5<<20) {
		t.Fatalf("three idle workers hold %d bytes, expected 5 MB each or more", rest)
	}
	p.config.Budget = rest + 80<<20
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for p.Workers().Retired < 2 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	limits := imaging.DefaultLimits()
	limits.Timeout = 0
	_, err := p.Process(ctx, source("hold 100 100", picture(t, 9, 9)), imaging.Operations{}, limits)
	if fault.CodeOf(err) != fault.Canceled {
		t.Fatalf("%v, expected to go on until it was canceled", err)
	}
	if s := p.Workers(); s.Running != 1 || s.Retired != 2 || p.count(ReasonBudget) != 0 {
		t.Errorf("%+v, expected the other two to end", s)
	}
}

// TestBudgetOfProcesses checks that a small budget is not used up by processes that do nothing.
func TestBudgetOfProcesses(t *testing.T) {
	for budget, workers := range map[int64]int{0: 64, 1 << 40: 64, 1 << 30: 14, 1: 2} {
		c, err := Config{Workers: 64, Budget: budget}.withDefaults()
		if err != nil || c.Workers != workers || budget > 0 && c.MemoryLimit > c.Budget {
			t.Errorf("a budget of %d: %+v %v, expected %d workers", budget, c, err, workers)
		}
	}
}

// TestDeath holds what the end of a process by itself is taken for: neither a lack of memory nor one of threads is
// blamed on the picture as a crash, and a lack of threads is one of memory only if the process has used up its memory.
func TestDeath(t *testing.T) {
	const noThread = "runtime/cgo: pthread_create failed: Resource temporarily unavailable"
	for _, c := range []struct {
		said  string
		limit int64
		want  Reason
	}{
		{"librsvg panicked at an assertion", 1 << 30, ReasonCrash},
		{"fatal error: unexpected signal", 1 << 30, ReasonCrash},
		{noThread, 1 << 30, ReasonThreads},
		{noThread, 1 << 10, ReasonMemory},
		{"runtime: failed to create new OS thread (have 9 already; errno=11)", 1 << 30, ReasonThreads},
		{"GLib-ERROR **: creating thread 'pool': Error creating thread: x", 1 << 30, ReasonThreads},
		{"terminate called after throwing an instance of 'std::system_error'\n" +
			"  what():  Resource temporarily unavailable", 1 << 30, ReasonThreads},
		{"terminate called after throwing an instance of 'std::bad_alloc'", 1 << 30, ReasonMemory},
		{"fatal error: out of memory", 1 << 30, ReasonMemory},
		{"memory allocation of 4096 bytes failed", 1 << 30, ReasonMemory},
		{"GLib-ERROR: failed to allocate 99 bytes", 1 << 30, ReasonMemory},
	} {
		dead := &child{
			command: exec.Command("sh", "-c", `echo "$0" >&2; kill -ABRT $$`, c.said), stderr: &tail{}, limit: c.limit,
		}
		dead.command.Stderr = dead.stderr
		if err := dead.command.Run(); err == nil {
			t.Fatal("it ended well")
		}
		if got := dead.death(); got != c.want {
			t.Errorf("after %q with at most %d bytes: %s, expected %s", c.said, c.limit, got, c.want)
		}
	}
}

// TestMemoryOfEarlierJobs has short jobs leave memory behind: the job after them is not charged for it.
func TestMemoryOfEarlierJobs(t *testing.T) {
	p := open(t, func(c *Config) { c.Workers = 1 })
	limits := imaging.DefaultLimits()
	limits.Timeout = 0
	for range 48 { // most end before the guard looks
		src := source("take 4 4", picture(t, 9, 9))
		if _, err := p.Process(t.Context(), src, imaging.Operations{}, limits); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, stop) // the guard looks several times
	_, err := p.Process(ctx, source("hold 0 1", picture(t, 9, 9)), imaging.Operations{}, limits)
	if fault.CodeOf(err) != fault.Canceled {
		t.Errorf("a job with 1 MB: %v, expected to go on until it was canceled", err)
	}
}
