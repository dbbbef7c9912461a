//go:build linux

package worker

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// guard monitors a busy worker. At the timeout, or when the client has disconnected, it tells the worker to stop, and
// kills it if that does not help. It kills the worker at once if it, or all workers together, use too much memory.
// Most jobs end before the first check.
type guard struct {
	pool  *processes
	child *child
	id    uint64
	ctx   context.Context
	end   time.Time     // of the worker's time; zero: none
	limit time.Duration // of the CPU time of the job; 0: none

	mu      sync.Mutex
	timer   *time.Timer
	every   time.Duration // between two checks of the memory
	stopped bool
	told    time.Time     // when the cancel message was sent; zero: it was not
	reason  Reason        // why
	began   time.Duration // CPU time of the worker before the job
	used    time.Duration // CPU time of the job, when it was last read
}

const (
	memoryCheck  = 20 * time.Millisecond // pause between two checks
	easyCheck    = 80 * time.Millisecond // the longest one, of a job that is far from what it may take
	freeMemory   = 160 << 20             // bytes that every job may take, besides what the worker has
	noticeMemory = 32 << 20              // estimates below it do not matter
	noticeCPU    = time.Second / 4
	estimateSlip = 3 // how far an estimate may be off
)

func newGuard(ctx context.Context, p *processes, c *child, id uint64) *guard {
	if c.stale {
		c.measure()
		c.stale = false
	}
	c.estimated.Store(0)
	c.allowed = min(c.idleBytes.Load()+freeMemory, p.config.MemoryLimit)
	return &guard{
		pool: p, child: c, id: id, ctx: ctx, every: memoryCheck, began: cpuTime(c.command.Process.Pid),
	}
}

// allow lets the job take that much memory and CPU time, by an estimate. One that was told to end keeps the limit that
// it has passed.
func (g *guard) allow(estimate int64, cpu time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.limit > 0 && g.told.IsZero() {
		g.limit = g.pool.config.Drawing + min(max(cpu, 0), cpuLimit)
	}
	if estimate > g.pool.config.MemoryLimit { // times 3 has room
		estimate = g.pool.config.MemoryLimit
	}
	g.child.estimated.Store(estimate)
	g.child.allowed = min(g.child.idleBytes.Load()+freeMemory+estimateSlip*estimate, g.pool.config.MemoryLimit)
}

// watch begins. After stop, which may be called again, nothing more happens to the worker.
func (g *guard) watch() (stop func()) {
	g.mu.Lock()
	g.timer = time.AfterFunc(g.pause(), g.check)
	g.mu.Unlock()
	gone := context.AfterFunc(g.ctx, g.check)
	return func() {
		gone()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.stopped = true
		g.timer.Stop()
	}
}

// pause returns how long to wait before the next check.
func (g *guard) pause() time.Duration {
	next := g.every
	if !g.told.IsZero() {
		next = min(next, time.Until(g.told.Add(g.pool.config.Grace)))
	} else if !g.end.IsZero() {
		next = min(next, time.Until(g.end))
	}
	return max(next, 0)
}

func (g *guard) check() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return
	}
	held := anonymous(g.child.command.Process.Pid)
	g.child.bytes.Store(held)
	g.measure()
	if g.every = min(2*g.every, easyCheck); g.child.allowed-held < freeMemory/2 {
		g.every = memoryCheck
	}
	late := !g.end.IsZero() && !time.Now().Before(g.end) || g.limit > 0 && g.used >= g.limit
	switch {
	case !g.told.IsZero() && time.Since(g.told) >= g.pool.config.Grace:
		g.child.kill(g.reason)
		return
	case held > g.child.allowed:
		g.child.kill(ReasonMemory)
		return
	case g.pool.sacrifices(g.child):
		g.child.kill(ReasonBudget)
		return
	case g.told.IsZero() && (late || g.ctx.Err() != nil):
		g.told, g.reason = time.Now(), ReasonTimeout
		if !late && fault.CodeOf(imaging.Ended(g.ctx, "")) == fault.Canceled {
			g.reason = ReasonCanceled
		}
		g.child.cancel(g.id)
	}
	g.timer.Reset(g.pause())
}

// measure reads the CPU time of the job. The caller holds mu, or has stopped the guard.
func (g *guard) measure() {
	if n := cpuTime(g.child.command.Process.Pid); n > 0 { // else the process is gone
		g.used = n - g.began
	}
}

// spent reports whether the job used up its CPU time, or at least half of its time by the clock: a worker that had to
// wait for a processor might have done the job otherwise. The guard has been stopped.
func (g *guard) spent(timeout time.Duration) bool {
	g.measure()
	return timeout > 0 && g.used >= timeout/2 || g.limit > 0 && g.used >= g.limit
}

// cpuTime returns the CPU time that a process has used; 0 when it is gone. The clock is that of clock_getcpuclockid(3).
func cpuTime(pid int) time.Duration {
	const scheduled = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// verdict is the fault of a job that ended after a cancel message.
func (g *guard) verdict(name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reason == ReasonTimeout {
		return imaging.TimedOut(nil, name)
	}
	return imaging.Canceled(nil, name)
}

// anonymous returns the bytes of private memory that a process has; 0 when it is gone.
func anonymous(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
