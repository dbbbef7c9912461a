package admission

import (
	"slices"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// job is a job that runs or waits.
type job struct {
	client  *client
	cost    imaging.Cost
	heavy   bool
	again   bool      // it has waited before, and is not rejected again
	arrived time.Time // when it arrived, which decides its place in its client's queue
	started time.Time // zero: it waits

	decided   chan struct{} // closed when the job starts or is rejected
	rejection error         // set before decided is closed; nil if the job has started
}

// isRejectable reports whether the job may be rejected while it waits.
func (j *job) isRejectable() bool { return !j.again && !j.client.isServer() }

// A running job cannot be interrupted. To keep heavy jobs from blocking all others, a light job may run in addition
// when heavy ones occupy all workers, and heavy jobs leave a part of the memory to light ones.
const (
	lightCPU   = 250 * time.Millisecond // jobs with a higher CPU estimate are heavy
	lightShare = 8                      // divisor of MaxMemory: the part for light jobs; jobs that need more are heavy
)

func (c *Controller) isHeavy(cost imaging.Cost) bool {
	return cost.Unknown || cost.CPU > lightCPU || c.config.MaxMemory > 0 && cost.Memory > c.config.MaxMemory/lightShare
}

// enqueue starts the job, adds it to the queue, or rejects it.
func (c *Controller) enqueue(w Work) (*job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.checkMemory(w.Cost.Memory); err != nil {
		c.stats.TooLarge++
		return nil, err
	}
	j := c.newJob(w)
	c.join(j)
	c.dispatch()
	if !j.started.IsZero() || !j.isRejectable() {
		return j, nil
	}
	if err := c.waitTooLong(j); err != nil {
		c.quit(j)
		c.stats.WaitTooLong++
		return nil, err
	}
	if c.waiting > c.config.Queue {
		c.rejectLast()
	}
	return j, j.rejection
}

func (c *Controller) newJob(w Work) *job {
	q := c.clients[w.Client]
	if q == nil {
		q = &client{name: w.Client}
		c.clients[w.Client] = q
	}
	j := &job{client: q, cost: w.Cost, heavy: c.isHeavy(w.Cost), arrived: w.Arrived, decided: make(chan struct{})}
	j.cost.CPU -= w.Shared
	if j.again = !w.Arrived.IsZero(); !j.again {
		j.arrived = time.Now()
	}
	return j
}

// checkMemory returns fault.TooLarge for work that alone needs more than MaxMemory.
func (c *Controller) checkMemory(bytes int64) error {
	if limit := c.config.MaxMemory; limit > 0 && bytes > limit {
		return fault.New(fault.TooLarge, "the picture would take about %d MB of memory, expected at most %d MB",
			bytes>>20, limit>>20)
	}
	return nil
}

// waitTooLong returns fault.Overloaded if the predicted wait of the job exceeds MaxWait.
func (c *Controller) waitTooLong(j *job) error {
	limit := c.config.MaxWait
	if limit <= 0 || c.waiting == 0 {
		return nil
	}
	wait := c.waitBefore(j)
	if wait <= limit {
		return nil
	}
	return Overloaded(wait-limit/2, "the queue is about %s long, which is too long, try again later",
		wait.Round(time.Second))
}

func (c *Controller) queueFull() error {
	return Overloaded(c.backlog()/2, "too many pictures are waiting, try again later")
}

// rejectLast rejects the last job of the client with the most work in the queue, which is not necessarily the client
// that has just filled it.
func (c *Controller) rejectLast() {
	q := c.longest()
	if q == nil {
		return
	}
	for _, j := range slices.Backward(q.waiting) {
		if j.isRejectable() {
			c.quit(j)
			c.stats.QueueFull++
			j.rejection = c.queueFull()
			close(j.decided)
			return
		}
	}
}

// dispatch starts the waiting jobs that fit.
func (c *Controller) dispatch() {
	if c.waiting == 0 {
		return
	}
	held := c.held()
	for j := c.next(held); j != nil; j = c.next(held) {
		c.start(j)
	}
}

// held returns the result of Config.Held, or 0 if that is nil.
func (c *Controller) held() int64 {
	if c.config.Held == nil {
		return 0
	}
	return c.config.Held()
}

// next returns the job that starts now: the first job that fits of the client whose turn it is, or of the next client
// that has one; nil if none fits. Other jobs may overtake a heavy job that lacks memory until it has waited a quarter
// of MaxWait; after that only light jobs may.
func (c *Controller) next(held int64) *job {
	if !c.hasWorker(false) {
		return nil
	}
	onlyLight := !c.hasWorker(true)
	slices.SortFunc(c.queues, turn)
	for _, q := range c.queues {
		for _, j := range q.waiting {
			if j.heavy && onlyLight {
				continue
			}
			if c.hasRoom(j.cost.Memory+held, j.heavy) || c.hasReserve(j) {
				return j
			}
			if j.heavy && c.config.MaxWait > 0 && time.Since(j.arrived) > c.config.MaxWait/4 {
				onlyLight = true
			}
		}
	}
	return nil
}

// hasWorker reports whether a worker is free for such a job.
func (c *Controller) hasWorker(heavy bool) bool {
	return len(c.running) < c.config.Slots || !heavy && c.light.jobs == 0
}

// hasRoom reports whether the bytes fit beside the running jobs. If no other job runs, the job may run even if kept,
// lent and held memory leave too little.
func (c *Controller) hasRoom(bytes int64, heavy bool) bool {
	limit := c.config.MaxMemory
	if limit <= 0 || c.memory == c.kept+c.lent {
		return true
	}
	if heavy {
		limit -= limit / lightShare
	}
	return c.memory+bytes <= limit
}

// hasReserve reports whether the job fits into the memory that heavy jobs leave to light ones.
func (c *Controller) hasReserve(j *job) bool {
	return !j.heavy && c.light.memory+j.cost.Memory <= c.config.MaxMemory/lightShare
}

func (c *Controller) start(j *job) {
	q := j.client
	q.running++
	c.quit(j)
	c.spend(q, q.charge(j))

	j.started = time.Now()
	c.stats.Admitted++
	c.stats.Waited += j.started.Sub(j.arrived)
	c.running[j] = true
	c.memory += j.cost.Memory
	c.burst += j.cost.Memory
	if !j.heavy {
		c.light.jobs++
		c.light.memory += j.cost.Memory
	}
	if c.idleTimer != nil {
		c.idleTimer.Stop()
	}
	close(j.decided)
}

// finish ends a running job, and charges what it took beyond its estimate.
func (c *Controller) finish(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running[j] {
		return
	}
	delete(c.running, j)
	c.memory -= j.cost.Memory
	if !j.heavy {
		c.light.jobs--
		c.light.memory -= j.cost.Memory
	}
	took := time.Since(j.started)
	c.spend(j.client, max(0, took-j.cost.CPU))
	j.client.running--
	c.forget(j.client)
	if !j.cost.Unknown {
		c.speed.record(j.cost.CPU, took)
		if c.config.Finished != nil {
			c.config.Finished(j.cost.CPU, took)
		}
	}
	c.dispatch()
	c.watchIdle()
	c.freeBetween(time.Now())
}

// remove takes a waiting job out of the queue and counts it. It returns false if the job was already decided.
func (c *Controller) remove(j *job, counter *uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.quit(j) {
		return false
	}
	*counter++
	c.dispatch() // it may have blocked those behind it
	return true
}
