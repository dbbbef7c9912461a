package admission

import "time"

// speed is the ratio of real to estimated time: machines differ, and so does their load. The weight of old jobs decays.
type speed struct{ took, estimated float64 } // seconds

func newSpeed() speed { return speed{1, 1} } // neutral start: one job of a second took a second

func (s *speed) record(estimated, took time.Duration) {
	if estimated <= 0 {
		return
	}
	const decay = 0.97
	s.took, s.estimated = s.took*decay+took.Seconds(), s.estimated*decay+estimated.Seconds()
}

// ratio is the real time of a job divided by its estimate, from 0.05 to 20.
func (s *speed) ratio() float64 { return min(max(s.took/s.estimated, 0.05), 20) }

// elapsed converts an estimate of CPU timethat is spread over the given number of workers into elapsed time.
func (c *Controller) elapsed(estimate time.Duration, workers int) time.Duration {
	return time.Duration(float64(estimate) * c.speed.ratio() / float64(workers))
}

// load is a number of jobs and the CPU time that they still need.
type load struct {
	light, heavy time.Duration
	heavyJobs    int
}

func (l *load) add(j *job, cpu time.Duration) {
	if !j.heavy {
		l.light += cpu
		return
	}
	l.heavy += cpu
	l.heavyJobs++
}

// ahead returns the load of the running jobs. A job that has outrun its estimate counts with a tenth of it.
func (c *Controller) ahead() (l load) {
	for j := range c.running {
		l.add(j, max(j.cost.CPU-time.Since(j.started), j.cost.CPU/10))
	}
	return l
}

// waitBefore predicts how long a job waits that is in the queue or would join the end of its client's queue. Light
// jobs share the workers that heavy ones leave free, and heavy jobs share all of them.
func (c *Controller) waitBefore(j *job) time.Duration {
	l, own := c.ahead(), j.client
	used := own.used
	for _, one := range own.waiting {
		if one == j {
			break
		}
		l.add(one, one.cost.CPU)
		used += own.charge(one)
	}
	turn := own.after(used, j)
	for _, q := range c.queues {
		used := q.used
		for _, one := range q.waiting {
			if q == own || q.after(used, one) >= turn {
				break
			}
			l.add(one, one.cost.CPU)
			used += q.charge(one)
		}
	}
	if j.heavy {
		return c.elapsed(l.light+l.heavy, c.config.Slots)
	}
	return c.elapsed(l.light, max(1, c.config.Slots-l.heavyJobs))
}

// backlog predicts how long all running and waiting jobs take.
func (c *Controller) backlog() time.Duration {
	l := c.ahead()
	for _, q := range c.queues {
		for _, j := range q.waiting {
			l.add(j, j.cost.CPU)
		}
	}
	return c.elapsed(l.light+l.heavy, c.config.Slots)
}
