package admission

import (
	"slices"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// job runs or waits.
type job struct {
	cost    imaging.Cost
	since   time.Time // when it arrived; once it runs, when it started
	rank    time.Time // its position in the queue: arrival plus penalty
	started chan struct{}
}

// penaltyFactor times the CPU estimate of a job is its penalty, up to half of MaxWait.
const penaltyFactor = 4

// penalty is how far behind its arrival a job ranks in the queue.
func (c *Controller) penalty(cost imaging.Cost) time.Duration {
	p := penaltyFactor * cost.CPU
	if c.config.MaxWait > 0 {
		p = min(p, c.config.MaxWait/2)
	}
	return p
}

// enqueue starts the job, adds it to the queue, or rejects it.
func (c *Controller) enqueue(w Work) (*job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.checkMemory(w.Cost.Memory); err != nil {
		c.stats.TooLarge++
		return nil, err
	}
	isNew := w.Arrived.IsZero()
	if isNew {
		w.Arrived = time.Now()
	}
	j := &job{cost: w.Cost, since: w.Arrived, rank: w.Arrived.Add(c.penalty(w.Cost)), started: make(chan struct{})}
	if len(c.waiting) == 0 && c.fits(j) {
		c.start(j)
		return j, nil
	}
	if isNew {
		if counter, err := c.rejection(j.rank); err != nil {
			*counter++
			return nil, err
		}
	}
	at, _ := slices.BinarySearchFunc(c.waiting, j, func(a, b *job) int {
		if a.rank.After(b.rank) {
			return 1
		}
		return -1 // equal ranks stay in the order of arrival
	})
	c.waiting = slices.Insert(c.waiting, at, j)
	c.dispatch() // it may fit where the first does not
	return j, nil
}

// checkMemory returns fault.TooLarge for work that takes more than MaxMemory by itself.
func (c *Controller) checkMemory(bytes int64) error {
	if limit := c.config.MaxMemory; limit > 0 && bytes > limit {
		return fault.New(fault.TooLarge, "the picture would take about %d MB of memory, expected at most %d MB", bytes>>20, limit>>20)
	}
	return nil
}

// rejection returns why a job of that rank cannot wait, and its counter: the queue is full, or the predicted wait is too long.
func (c *Controller) rejection(rank time.Time) (counter *uint64, err error) {
	if len(c.waiting) >= c.config.Queue {
		return &c.stats.QueueFull, Overloaded(c.backlog()/2, "too many pictures are waiting, try again later")
	}
	limit := c.config.MaxWait
	if limit <= 0 {
		return nil, nil
	}
	if wait := c.waitBefore(rank); wait > limit {
		return &c.stats.WaitTooLong, Overloaded(wait-limit/2, "the queue is about %s long, which is too long, try again later", wait.Round(time.Second))
	}
	return nil, nil
}

// rejectsAll returns the rejection of a job without any cost that arrives now.
func (c *Controller) rejectsAll() (counter *uint64, err error) {
	if len(c.waiting) == 0 {
		return nil, nil
	}
	return c.rejection(time.Now())
}

func (c *Controller) fits(j *job) bool {
	if len(c.running) >= c.config.Slots {
		return false
	}
	return c.hasRoom(j.cost.Memory)
}

// hasRoom reports whether the bytes fit beside the running jobs. What is held between jobs, or kept for those that wait, does not keep the
// only job from running.
func (c *Controller) hasRoom(bytes int64) bool {
	if c.config.MaxMemory <= 0 || c.memory == c.kept {
		return true
	}
	if c.config.Held != nil {
		bytes += c.config.Held()
	}
	return c.memory+bytes <= c.config.MaxMemory
}

func (c *Controller) start(j *job) {
	now := time.Now()
	c.stats.Admitted++
	c.stats.Waited += now.Sub(j.since)
	j.since = now
	c.running[j] = true
	c.memory += j.cost.Memory
	c.burst += j.cost.Memory
	if c.idleTimer != nil {
		c.idleTimer.Stop()
	}
	close(j.started)
}

// dispatch starts the waiting jobs that fit. Others pass a job that lacks memory until it has waited a quarter of MaxWait.
func (c *Controller) dispatch() {
	for n := 0; n < len(c.waiting) && len(c.running) < c.config.Slots; {
		j := c.waiting[n]
		if c.fits(j) {
			c.waiting = slices.Delete(c.waiting, n, n+1)
			c.start(j)
			continue
		}
		if c.config.MaxWait > 0 && time.Since(j.since) > c.config.MaxWait/4 {
			return
		}
		n++
	}
}

// finish ends a running job.
func (c *Controller) finish(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, j)
	c.memory -= j.cost.Memory
	took := time.Since(j.since)
	c.speed.record(j.cost.CPU, took)
	if c.config.Finished != nil {
		c.config.Finished(j.cost.CPU, took)
	}
	c.dispatch()
	c.watchIdle()
	c.freeBetween(time.Now())
}

// remove takes a waiting job out of the queue and counts it; false if it has started.
func (c *Controller) remove(j *job, counter *uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.Index(c.waiting, j)
	if at < 0 {
		return false
	}
	c.waiting = slices.Delete(c.waiting, at, at+1)
	*counter++
	c.dispatch() // it may have blocked those behind it
	return true
}
