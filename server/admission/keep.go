package admission

import "sync"

// keptShare is the divisor for what Keep may reserve: at most MaxMemory/keptShare.
const keptShare = 4

// Keep reserves bytes of MaxMemory for data that waiting jobs share. ok is false if they are not free. The caller
// calls release when the jobs are done; further calls do nothing.
func (c *Controller) Keep(bytes int64) (release func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit := c.config.MaxMemory; limit > 0 && (c.kept+bytes > limit/keptShare || !c.hasRoom(bytes+c.held(), true)) {
		return nil, false
	}
	c.memory += bytes
	c.kept += bytes
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.memory -= bytes
		c.kept -= bytes
		c.dispatch()
	}), true
}
