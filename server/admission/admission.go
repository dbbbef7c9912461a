// Package admission decides which jobs may run: a limit on concurrent jobs, a limit on their estimated memory, and a
// bounded queue in front of both. Clients share the workers by fair queueing: the client whose jobs have used the least
// CPU time is next. A job that cannot start in time is rejected at once: docs/contributing/decisions/0007.
//
// Enter is the entry point (admission.go); client.go says whose turn it is, queue.go starts and rejects jobs,
// predict.go estimates waiting times, idle.go detects the end of a burst.
package admission

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Config sets the limits of a Controller.
type Config struct {
	Slots     int           // max jobs that run at once; at least 1. See lightCPU for one more.
	Queue     int           // max jobs that wait
	MaxWait   time.Duration // max time that a job waits; 0 is no limit
	MaxMemory int64         // max total of the running jobs' estimates and of what Held returns, in bytes; 0: no limit

	// Held returns how many bytes idle processes still hold between jobs; may be nil.
	Held func() int64
	// Idle frees memory. It is called two seconds after a burst, and every 30 s during a long one; may be nil.
	Idle func()
	// Finished gets the CPU estimate and the run time of each finished job; may be nil.
	Finished func(estimated, took time.Duration)
}

// Controller admits jobs. Its methods are safe for concurrent use. Make it with New.
type Controller struct {
	config Config

	mu        sync.Mutex
	clients   map[string]*client
	queues    []*client     // clients with waiting jobs
	waiting   int           // jobs
	active    int           // clients with jobs
	virtual   time.Duration // see client
	running   map[*job]bool
	light     usage // usage of the running light jobs
	memory    int64 // bytes: estimates of the running jobs, kept, and lent
	kept      int64 // bytes reserved for what waiting jobs share
	lent      int64 // bytes of all loans
	speed     speed
	stats     Stats
	idleTimer *time.Timer
	burst     int64     // estimated bytes of the jobs that started since Idle was called
	freed     time.Time // when Idle was last called during a burst, or when the first burst began
}

// usage is the share of the limits that running jobs use.
type usage struct {
	jobs   int
	memory int64 // estimated bytes
}

// New returns a Controller without jobs.
func New(c Config) *Controller {
	c.Slots = max(c.Slots, 1)
	return &Controller{config: c, clients: map[string]*client{}, running: map[*job]bool{}, speed: newSpeed()}
}

// Work describes a job that asks to run.
type Work struct {
	// Client is the client that asks for the work, and shares the workers with the other clients. An empty client is
	// the server itself: such work is not rejected before its context's deadline, and gives way to clients.
	Client string

	Cost imaging.Cost
	// Shared is the part of Cost.CPU that a job which waits before this one probably does for both. Predicted waits do
	// not count it twice.
	Shared time.Duration
	// Arrived is when the request first arrived, if it has waited before: it keeps its place and is not rejected
	// again. Zero: now.
	Arrived time.Time
	Taken   <-chan struct{} // closed when another job does all or part of the work; may be nil
}

// ErrTaken is the error of a job whose work another job does.
var ErrTaken = errors.New("another job does the work")

// Enter waits until the job may run. The caller calls release when the job is done; further calls do nothing. The error
// is fault.TooLarge if the job exceeds MaxMemory by itself, fault.Overloaded with RetryAfter if the queue is full, the
// predicted wait exceeds MaxWait or MaxWait has passed, fault.Timeout or fault.Canceled if ctx ends first, and
// ErrTaken.
func (c *Controller) Enter(ctx context.Context, w Work) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, ContextError(ctx)
	}
	j, err := c.enqueue(w)
	if err != nil {
		return nil, err
	}
	release = sync.OnceFunc(func() { c.finish(j) })
	select {
	case <-j.decided:
		return release, j.rejection
	default:
	}

	var timeout <-chan time.Time
	if c.config.MaxWait > 0 && !j.client.isServer() {
		timer := time.NewTimer(c.config.MaxWait)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-j.decided:
		return release, j.rejection
	case <-w.Taken:
		if !c.remove(j, new(uint64)) {
			release()
		}
		return nil, ErrTaken
	case <-ctx.Done():
		if !c.remove(j, &c.stats.Canceled) {
			release()
		}
		if j.client.isServer() && context.Cause(ctx) == context.DeadlineExceeded {
			return nil, Overloaded(c.RetryAfter(), "requests for pictures use all workers, try again later")
		}
		return nil, ContextError(ctx)
	case <-timeout:
		if !c.remove(j, &c.stats.TimedOut) {
			return release, j.rejection // the job was decided just before its wait ended
		}
		return nil, Overloaded(c.RetryAfter(), "the picture waited %s in the queue, try again later", c.config.MaxWait)
	}
}

// Threads returns how many threads the job that was just admitted should use: all cores if it is the only job, and one
// if there is work for every core.
func (c *Controller) Threads() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(1, min(c.config.Slots, runtime.GOMAXPROCS(0))/max(1, len(c.running)+c.waiting))
}

// Saturated returns the fault.Overloaded that a light job of a client that has no other jobs would get now; nil if it
// would be admitted.
func (c *Controller) Saturated() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting >= c.config.Queue {
		return c.queueFull()
	}
	return c.waitTooLong(&job{client: &client{used: c.virtual}})
}

// RejectEarly returns the fault.Overloaded that even a light job of the client would get now. Callers check it before
// they estimate the cost, so that a rejection is cheap. It counts the rejection.
func (c *Controller) RejectEarly(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	owner := c.clients[name]
	if owner == nil || len(owner.waiting) == 0 {
		owner = &client{used: c.virtual}
	}
	err := c.waitTooLong(&job{client: owner})
	if err != nil {
		c.stats.WaitTooLong++
	} else if c.waiting >= c.config.Queue && c.longest() == owner {
		err = c.queueFull()
		c.stats.QueueFull++
	}
	return err
}

// RetryAfter returns how long a rejected client should wait before it tries again: the predicted time until half of
// the backlog is done.
func (c *Controller) RetryAfter() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.backlog() / 2
}

// Overloaded returns fault.Overloaded with RetryAfter between a second and a minute.
func Overloaded(after time.Duration, format string, args ...any) error {
	f := fault.New(fault.Overloaded, format, args...)
	f.RetryAfter = min(max(after, time.Second), time.Minute)
	return f
}

// ContextError returns the fault of a context that has ended: fault.Timeout after its deadline, else fault.Canceled.
func ContextError(ctx context.Context) error {
	if context.Cause(ctx) == context.DeadlineExceeded {
		return fault.New(fault.Timeout, "the picture took too long")
	}
	return fault.New(fault.Canceled, "the client went away")
}
