package admission

import "time"

// Stats are figures of a Controller. The job counts and Waited only grow.
type Stats struct {
	Running, Waiting  int           // jobs now
	Memory, MaxMemory int64         // estimated bytes of the running jobs, and their limit; 0 is no limit
	Backlog           time.Duration // predicted time until all running and waiting jobs are done
	SpeedRatio        float64       // recent run time of jobs divided by its estimate

	Admitted    uint64        // jobs that started
	QueueFull   uint64        // rejected: the queue was full
	WaitTooLong uint64        // rejected: the predicted wait exceeded MaxWait
	TooLarge    uint64        // rejected: the job alone exceeds MaxMemory
	TimedOut    uint64        // rejected after MaxWait in the queue
	Canceled    uint64        // left the queue because the client disconnected or the deadline passed
	Waited      time.Duration // total queueing time of all jobs that started
}

// Stats returns the current figures.
func (c *Controller) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Running, s.Waiting, s.Memory, s.MaxMemory = len(c.running), c.waiting, c.memory, c.config.MaxMemory
	s.Backlog, s.SpeedRatio = c.backlog(), c.speed.ratio()
	return s
}
