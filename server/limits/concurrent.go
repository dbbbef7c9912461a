package limits

import (
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// Concurrent limits how many of something one client, and all clients together, may have open. The zero value counts
// nothing yet. It is safe for concurrent use.
type Concurrent struct {
	What      string // what is counted, as a plural for messages
	PerClient int
	All       int
	mu        sync.Mutex
	open      map[string]int
	openByAll int
}

// Enter counts one more until leave is called. It returns fault.RateLimited if the client has its max open, or if the
// max of all clients is reached.
func (l *Concurrent) Enter(client string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[client] >= l.PerClient || l.openByAll >= l.All {
		f := fault.New(fault.RateLimited, "this client has %d open %s, expected at most %d; close one first",
			l.open[client], l.What, l.PerClient)
		if l.open[client] < l.PerClient {
			f = fault.New(fault.RateLimited, "%d %s are open, expected at most %d; try again later",
				l.openByAll, l.What, l.All)
		}
		f.RetryAfter = time.Second
		return nil, f
	}
	if l.open == nil {
		l.open = map[string]int{}
	}
	l.open[client]++
	l.openByAll++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.openByAll--
		if l.open[client]--; l.open[client] == 0 {
			delete(l.open, client)
		}
	}), nil
}
