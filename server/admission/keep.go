package admission

import "sync"

// keptShare of MaxMemory is the max that is kept for jobs that wait.
const keptShare = 4

// Keep takes bytes of MaxMemory for what waiting jobs share, if they are free. The caller calls release when the jobs
// are done; further calls do nothing.
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
