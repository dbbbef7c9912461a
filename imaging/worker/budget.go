//go:build linux

package worker

// Bounds of keptMemory.
const (
	minKept = 32 << 20
	maxKept = 96 << 20 // enough for the pixels of 12 megapixels, so that the kernel need not clear pages for each job
)

// keptMemory is how many bytes a worker may have between jobs, besides those that it has after its start. One that
// has more gives back its free memory. It is up to half of the share that a process has of the budget.
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

// settle measures a worker after its job, and has it give back what it holds free if that is more than
// kept bytes.
func (c *child) settle(kept int64) {
	c.estimated.Store(0)
	c.measure()
	if c.stale = c.idleBytes.Load() > c.startBytes+kept; c.stale {
		_ = c.wire.send(request{Kind: kindRelease}, nil, nil) // before its next work; a dead one is noticed with that
	}
}

// excess is how many bytes a worker has beyond what its job is estimated to take.
func (c *child) excess() int64 { return c.bytes.Load() - c.idleBytes.Load() - c.estimated.Load() }

// Held returns the bytes of private memory that workers had before the jobs under way.
func (p *Pool) Held() (bytes int64) {
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

// sacrifices reports whether a worker at work is to be killed because all together have more memory than the budget:
// the one that exceeds its job's estimate by more than the others. Idle workers end before that.
func (p *Pool) sacrifices(c *child) bool {
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
