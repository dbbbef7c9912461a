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
	Slots     int           // max jobs that run at once, and one more light one beside heavy ones; at least 1
	Queue     int           // max jobs that wait
	MaxWait   time.Duration // max time that a job waits; 0 is no limit
	MaxMemory int64         // max estimated bytes of all running jobs, and what Held returns; 0 is no limit

	// bytes that stay allocated between jobs, by processes that wait for them; may be nil
	Held func() int64
	// called to free memory: two seconds after a burst, and every 30 s during a long one; may be nil
	Idle func()
	// called with the CPU estimate and the run time of each finished job; may be nil
	Finished func(estimated, took time.Duration)
}

// Controller admits jobs. Its methods are safe for concurrent use. Make it with New.
type Controller struct {
	config Config

	mu        sync.Mutex
	clients   map[string]*client
	queues    []*client     // those with waiting jobs
	waiting   int           // jobs
	active    int           // clients with jobs
	virtual   time.Duration // see client
	running   map[*job]bool
	light     usage // of the running light jobs
	memory    int64 // estimated bytes of the running jobs, kept, and lent
	kept      int64 // estimated bytes that waiting jobs share
	lent      int64 // bytes of all loans
	speed     speed
	stats     Stats
	idleTimer *time.Timer
	burst     int64     // estimated bytes of the jobs that started since Idle was called
	freed     time.Time // when Idle was last called during a burst, or when the first one began
}

// usage is what running jobs have of the limits.
type usage struct {
	jobs   int
	memory int64 // estimated bytes
}

// New returns a Controller without jobs.
func New(c Config) *Controller {
	c.Slots = max(c.Slots, 1)
	return &Controller{config: c, clients: map[string]*client{}, running: map[*job]bool{}, speed: newSpeed()}
}

// Work is a job that waits for its turn.
type Work struct {
	// Client is who asks for it, and shares the workers with the other clients. Empty is the server itself: such work
	// is not rejected before the deadline of its context, and gives way to clients.
	Client string

	Cost imaging.Cost
	// the part of Cost.CPU that a job which waits before this one probably does for both: it adds nothing to the
	// predicted waits
	Shared time.Duration
	// of a request that has waited before, which keeps its place and is not rejected again; zero: now
	Arrived time.Time
	Taken   <-chan struct{} // closed when another job does the work, or a part of it; may be nil
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
			return release, j.rejection // it was decided at that very moment
		}
		return nil, Overloaded(c.RetryAfter(), "the picture waited %s in the queue, try again later", c.config.MaxWait)
	}
}

// Threads returns how many threads the job that was just admitted should use: all cores if it is the only one, 1 if
// there is work for every core.
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

// RejectEarly returns the fault.Overloaded that even a light job of the client would get now: a rejection must be
// cheap, and comes before the cost is estimated. It counts the rejection.
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

// RetryAfter returns when a rejected client should try again: after the predicted time in which half of the backlog is
// done.
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
