package admission

import "time"

// A burst ends after idleAfter without a running job; Idle is called if its jobs were estimated at burstBytes or more.
const (
	idleAfter  = 2 * time.Second
	burstBytes = 256 << 20
)

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
