package admission

import "time"

// A burst ends idleAfter the last running job. Idle is called if the burst's jobs were estimated at burstBytes or
// more.
const (
	idleAfter  = 2 * time.Second
	burstBytes = 256 << 20
)

// During a burst that does not end, Idle is called every freeEvery if the jobs since the last call were estimated at
// freeBytes or more.
const (
	freeEvery = 30 * time.Second
	freeBytes = 1 << 30
)

// freeBetween calls Idle during a long burst, because the allocator does not return memory that is freed in small
// pieces to the system. The caller holds mu.
func (c *Controller) freeBetween(now time.Time) {
	if c.config.Idle == nil || c.burst < freeBytes {
		return
	}
	if c.freed.IsZero() {
		c.freed = now
	}
	if now.Sub(c.freed) < freeEvery {
		return
	}
	c.freed, c.burst = now, 0
	go c.config.Idle()
}

// watchIdle sets the timer that calls Idle. The caller holds mu.
func (c *Controller) watchIdle() {
	if c.config.Idle == nil || len(c.running) > 0 || c.burst < burstBytes {
		return
	}
	if c.idleTimer != nil {
		c.idleTimer.Stop()
	}
	c.idleTimer = time.AfterFunc(idleAfter, func() {
		c.mu.Lock()
		busy := len(c.running) > 0
		if !busy {
			c.burst = 0
		}
		c.mu.Unlock()
		if !busy {
			c.config.Idle()
		}
	})
}
