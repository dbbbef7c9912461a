//go:build linux

package worker

// Bounds of keptMemory.
const (
	minKept = 32 << 20
	maxKept = 96 << 20 // enough for the pixels of 12 megapixels, so that the kernel need not clear pages for each job
)

// keptMemory is how many bytes a worker may have between jobs, besides those that it has after its start. A worker
// that has more returns its free memory. The value is at most half of a process's share of the budget.
func (c Config) keptMemory() int64 {
	if c.Budget <= 0 {
		return maxKept
	}
	return min(max(c.Budget/int64(2*(c.Workers+spareWorkers)), minKept), maxKept)
}

// measure reads how much memory a worker has between jobs.
func (c *child) measure() {
	n := anonymous(c.command.Process.Pid)
	c.idleBytes.Store(n)
	c.bytes.Store(n)
}

// settle measures a worker after its job, and makes it return free memory if it has more than kept bytes.
func (c *child) settle(kept int64) {
	c.estimated.Store(0)
	c.measure()
	if c.stale = c.idleBytes.Load() > c.startBytes+kept; c.stale {
		_ = c.wire.send(request{Kind: kindRelease}, nil, nil) // before its next work; a dead one is noticed with that
	}
}

// excess returns how many bytes a worker has beyond the estimate of its job.
func (c *child) excess() int64 { return c.bytes.Load() - c.idleBytes.Load() - c.estimated.Load() }

// Held returns the bytes of private memory that workers had before the current jobs.
func (p *processes) Held() (bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle {
		if c.stale {
			c.measure()
		}
	}
	for c := range p.live {
		bytes += c.idleBytes.Load()
	}
	return bytes
}

// sacrifices reports whether a busy worker must be killed because all workers together exceed the memory budget. The
// victim is the worker that exceeds its job's estimate the most. Idle workers are ended first.
func (p *processes) sacrifices(c *child) bool {
	if p.config.Budget <= 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var sum int64
	worst := c
	for one := range p.live {
		if sum += one.bytes.Load(); one.excess() > worst.excess() {
			worst = one
		}
	}
	if sum <= p.config.Budget {
		return false
	}
	if len(p.idle) == 0 {
		return worst == c
	}
	for len(p.idle) > 0 {
		p.dismiss()
	}
	return false
}
