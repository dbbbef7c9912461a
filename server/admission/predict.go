package admission

import "time"

// speed is the ratio of real to estimated time: machines differ, and so does their load. The weight of old jobs decays.
type speed struct{ took, estimated float64 } // seconds

func newSpeed() speed { return speed{1, 1} } // as if one job of a second had taken a second

func (s *speed) record(estimated, took time.Duration) {
	if estimated <= 0 {
		return
	}
	const decay = 0.97
	s.took, s.estimated = s.took*decay+took.Seconds(), s.estimated*decay+estimated.Seconds()
}

// ratio is the real time of a job divided by its estimate, from 0.05 to 20.
func (s *speed) ratio() float64 { return min(max(s.took/s.estimated, 0.05), 20) }

// elapsed converts an estimate of CPU time, spread over all slots, into elapsed time.
func (c *Controller) elapsed(estimate time.Duration) time.Duration {
	return time.Duration(float64(estimate) * c.speed.ratio() / float64(c.config.Slots))
}

// remaining is the estimated CPU time that the running jobs still need: a tenth of the estimate once that has passed.
func (c *Controller) remaining() (sum time.Duration) {
	for j := range c.running {
		sum += max(j.cost.CPU-time.Since(j.since), j.cost.CPU/10)
	}
	return sum
}

// waitBefore predicts how long a job of that rank waits.
func (c *Controller) waitBefore(rank time.Time) time.Duration {
	sum := c.remaining()
	for _, j := range c.waiting {
		if j.rank.After(rank) {
			break
		}
		sum += j.cost.CPU
	}
	return c.elapsed(sum)
}

// backlog predicts how long all running and waiting jobs take.
func (c *Controller) backlog() time.Duration {
	sum := c.remaining()
	for _, j := range c.waiting {
		sum += j.cost.CPU
	}
	return c.elapsed(sum)
}
