package limits

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Turns limits how many requests of one client run at once. Further ones wait, so that a client with many connections
// delays itself rather than others. The zero value is ready to use once PerClient is set. It is safe for concurrent use.
type Turns struct {
	PerClient int64
	mu        sync.Mutex
	clients   map[string]*clientTurns
}

type clientTurns struct {
	running  *semaphore.Weighted
	requests int // that run or wait
}

// Wait waits until fewer than PerClient requests of the client run, in the order of the calls, and then counts one more
// until leave is called. It returns the error of ctx if that ends first.
func (t *Turns) Wait(ctx context.Context, client string) (leave func(), err error) {
	c := t.join(client)
	if err := c.running.Acquire(ctx, 1); err != nil {
		t.part(client, c)
		return nil, err
	}
	return sync.OnceFunc(func() {
		c.running.Release(1)
		t.part(client, c)
	}), nil
}

func (t *Turns) join(client string) *clientTurns {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.clients[client]
	if c == nil {
		if t.clients == nil {
			t.clients = map[string]*clientTurns{}
		}
		c = &clientTurns{running: semaphore.NewWeighted(t.PerClient)}
		t.clients[client] = c
	}
	c.requests++
	return c
}

func (t *Turns) part(client string, c *clientTurns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.requests--; c.requests == 0 {
		delete(t.clients, client)
	}
}
