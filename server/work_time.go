package server

import "time"

// pace is how long jobs take by what was estimated: machines differ, and so do neighbours. Old jobs fade.
type pace struct{ took, estimated float64 } // seconds

func newPace() pace { return pace{1, 1} } // as if one job of a second had taken a second

func (p *pace) note(estimated, took time.Duration) {
	if estimated <= 0 {
		return
	}
	const keep = 0.97
	p.took, p.estimated = p.took*keep+took.Seconds(), p.estimated*keep+estimated.Seconds()
}

func (p *pace) factor() float64 { return min(max(p.took/p.estimated, 0.05), 20) }

// real turns an estimate for all workers together into time on the clock.
func (w *workers) real(estimate time.Duration) time.Duration {
	return time.Duration(float64(estimate) * w.pace.factor() / float64(w.limits.slots))
}

// left is the estimate of what the running jobs still have to do.
func (w *workers) left() (sum time.Duration) {
	for t := range w.running {
		sum += max(t.cost.CPU-time.Since(t.since), t.cost.CPU/10)
	}
	return sum
}

// ahead is how long a job that is due then will wait, about.
func (w *workers) ahead(due time.Time) time.Duration {
	sum := w.left()
	for _, t := range w.waiting {
		if t.due.After(due) {
			break
		}
		sum += t.cost.CPU
	}
	return w.real(sum)
}

// backlog is how long all that runs and waits will take, about.
func (w *workers) backlog() time.Duration {
	sum := w.left()
	for _, t := range w.waiting {
		sum += t.cost.CPU
	}
	return w.real(sum)
}

// retryAfter is when half of the backlog will be done.
func (w *workers) retryAfter() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.backlog() / 2
}

// A burst is over after restAfter without work, and worth tidying up after when it was of burstBytes.
const (
	restAfter  = 2 * time.Second
	burstBytes = 256 << 20
)

// rested sets the timer for what is done once the workers rest.
func (w *workers) rested() {
	if w.idle == nil || len(w.running) > 0 || w.burst < burstBytes {
		return
	}
	if w.rest != nil {
		w.rest.Stop()
	}
	w.rest = time.AfterFunc(restAfter, func() {
		w.mu.Lock()
		busy := len(w.running) > 0
		if !busy {
			w.burst = 0
		}
		w.mu.Unlock()
		if !busy {
			w.idle()
		}
	})
}
