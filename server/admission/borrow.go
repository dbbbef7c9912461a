package admission

import (
	"context"
	"errors"
	"sync"
	"time"
)

// borrowPoll is how often Borrow looks for free memory.
const borrowPoll = 20 * time.Millisecond

// Borrow takes bytes of MaxMemory for work in the background, without a slot: jobs have priority, because they start as
// soon as memory is free. It waits until the memory is free. The caller calls release when the work is done; further calls do
// nothing. The error is fault.TooLarge if bytes exceed MaxMemory, fault.Overloaded after the deadline of ctx, and
// fault.Canceled if ctx ends otherwise.
func (c *Controller) Borrow(ctx context.Context, bytes int64) (release func(), err error) {
	if err := c.checkMemory(bytes); err != nil {
		return nil, err
	}
	if c.borrow(bytes) {
		return c.returning(bytes), nil
	}
	poll := time.NewTicker(borrowPoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				return nil, Overloaded(c.RetryAfter(), "other pictures use all memory for pictures, try again later")
			}
			return nil, ContextError(ctx)
		case <-poll.C:
			if c.borrow(bytes) {
				return c.returning(bytes), nil
			}
		}
	}
}

// borrow takes the memory if it is free.
func (c *Controller) borrow(bytes int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hasRoom(bytes) {
		return false
	}
	c.memory += bytes
	return true
}

// returning returns the function that gives borrowed memory back.
func (c *Controller) returning(bytes int64) func() {
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.memory -= bytes
		c.dispatch()
	})
}

// keptShare of MaxMemory is the max that is kept for jobs that wait.
const keptShare = 4

// Keep takes bytes of MaxMemory for what waiting jobs share, if they are free. The caller calls release when the jobs are done; further
// calls do nothing.
func (c *Controller) Keep(bytes int64) (release func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit := c.config.MaxMemory; limit > 0 && (c.kept+bytes > limit/keptShare || !c.hasRoom(bytes)) {
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
