//go:build linux

package worker

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// processes are the worker processes of a pool.
type processes struct {
	config   Config
	local    Engine
	launcher *launcher
	readable []string
	limit    int           // of processes
	heavy    chan struct{} // one token for each job that reads pixels: one process is left for headers
	refused  *refusals     // jobs that crashed workers
	slow     *refusals     // jobs that used up their time
	starved  *refusals     // jobs that had no thread, which may be their own fault
	done     chan struct{}
	stopped  sync.WaitGroup // processes that are ending

	mu      sync.Mutex
	closed  bool
	slots   int // processes that live or are being started
	live    map[*child]bool
	idle    []*child      // the one used last at the end
	waiting []chan *child // callers that get a worker, or nil: they may start one
	started uint64
	retired uint64
	denied  uint64 // jobs that were refused, see refused.go
	deaths  map[Reason]uint64
	failing time.Time // since when no worker can be started; zero: the last start succeeded
	failure error     // of the last start
	trying  bool      // Ready is starting one
	warned  bool      // protections that the kernel lacks have been logged
}

// acquire returns a worker that the caller owns until release. It prefers an idle worker that has decoded the source
// that key names; key may be empty. The worker has loaded exactly these fonts, or none because it has just started.
func (p *processes) acquire(ctx context.Context, key, fonts string) (*child, error) {
	for {
		c, err := p.take(ctx, key, fonts)
		if err != nil {
			return nil, err
		}
		select {
		case <-c.gone: // it ended while it was idle
			p.lose(c, c.death())
			continue
		default:
		}
		if c.suits(fonts) {
			return c, nil
		}
		p.mu.Lock()
		if !p.closed { // else Close has killed it
			p.retire(c)
		}
		p.mu.Unlock()
		select { // otherwise both would be in memory
		case <-c.gone:
		case <-time.After(endWait):
		case <-ctx.Done():
		}
		return p.begin()
	}
}

// suits reports whether pictures with these fonts may be given to the worker, which nobody else is using.
func (c *child) suits(fonts string) bool { return c.fonts == fonts || c.jobs == 0 }

func (p *processes) take(ctx context.Context, key, fonts string) (*child, error) {
	p.mu.Lock()
	at := -1
	for n, c := range p.idle { // the one used last, or the last one that has decoded the source
		if c.suits(fonts) && (at < 0 || c.keys[key] || !p.idle[at].keys[key]) {
			at = n
		}
	}
	if at < 0 && p.slots >= p.limit {
		at = min(0, len(p.idle)-1) // acquire replaces it: take the one that was used least recently
	}
	switch {
	case p.closed:
		p.mu.Unlock()
		return nil, stopping()
	case at >= 0:
		c := p.idle[at]
		p.idle = slices.Delete(p.idle, at, at+1)
		p.mu.Unlock()
		return c, nil
	case p.slots < p.limit:
		p.slots++
		p.mu.Unlock()
		return p.begin()
	}
	ready := make(chan *child, 1)
	p.waiting = append(p.waiting, ready)
	p.mu.Unlock()
	select {
	case c := <-ready:
		if c == nil {
			return p.begin()
		}
		return c, nil
	case <-ctx.Done():
		p.withdraw(ready)
		return nil, imaging.Ended(ctx, "the picture")
	}
}

// withdraw removes a waiting caller, and passes on a worker that it has got in the meantime.
func (p *processes) withdraw(ready chan *child) {
	p.mu.Lock()
	at := slices.Index(p.waiting, ready)
	if at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
	}
	p.mu.Unlock()
	if at >= 0 {
		return
	}
	if c := <-ready; c != nil {
		p.release(c)
	} else {
		p.vacate()
	}
}

// begin starts a worker. The caller has reserved a slot for it.
func (p *processes) begin() (*child, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, stopping()
	}
	p.stopped.Add(1)
	p.mu.Unlock()
	defer p.stopped.Done()
	c, err := p.launch()
	if err != nil {
		p.failed(err)
		return nil, &fault.Error{
			Code:       fault.Unavailable,
			Message:    "no worker can be started, try again later",
			Err:        err,
			RetryAfter: time.Second,
		}
	}
	p.mu.Lock()
	p.started++
	p.failing, p.failure = time.Time{}, nil
	p.live[c] = true
	closed, warned := p.closed, p.warned
	p.warned = true
	p.mu.Unlock()
	if !warned && len(c.hello.Missing) > 0 {
		p.config.Log.Warn(
			"workers are less protected than they should be, the kernel lacks",
			"missing", strings.Join(c.hello.Missing, ", "),
		)
	}
	if closed {
		p.lose(c, reasonStop)
		return nil, stopping()
	}
	return c, nil
}

func (p *processes) failed(err error) {
	p.config.Log.Error("a worker does not start", "error", err)
	p.mu.Lock()
	p.deaths[ReasonStart]++
	if p.failing.IsZero() {
		p.failing = time.Now()
	}
	p.failure = err
	p.mu.Unlock()
	p.vacate()
}

// vacate gives the caller's slot to a waiter, or back to the pool.
func (p *processes) vacate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) > 0 { // Close leaves none
		p.waiting[0] <- nil
		p.waiting = p.waiting[1:]
		return
	}
	p.slots--
}

// release takes the worker back after a job: it goes to a waiter, becomes idle, or ends if it has done enough jobs.
func (p *processes) release(c *child) {
	p.mu.Lock()
	if p.closed { // Close has killed it
		p.mu.Unlock()
		return
	}
	if c.jobs >= p.config.Jobs || c.cpu > cpuLimit/2 {
		p.retire(c)
		p.mu.Unlock()
		p.vacate()
		return
	}
	defer p.mu.Unlock()
	c.since = time.Now()
	if len(p.waiting) > 0 {
		p.waiting[0] <- c
		p.waiting = p.waiting[1:]
		return
	}
	p.idle = append(p.idle, c)
}

// retire ends a worker that could still be used. The caller holds mu and frees the slot afterwards.
func (p *processes) retire(c *child) {
	p.retired++
	delete(p.live, c)
	p.stopped.Add(1)
	go func() {
		defer p.stopped.Done()
		c.stop()
	}()
}

// lose ends a worker that can no longer be used, and counts the reason. It returns once the process is gone.
func (p *processes) lose(c *child, reason Reason) {
	c.kill(reason)
	<-c.gone
	c.hangUp()
	p.mu.Lock()
	delete(p.live, c)
	if reason != reasonStop {
		p.deaths[reason]++
	}
	p.mu.Unlock()
	p.vacate()
}

// Close ends all workers, busy ones too, and waits for them. Later work is refused with fault.Unavailable.
func (p *processes) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	close(p.done)
	all := make([]*child, 0, len(p.live))
	for c := range p.live {
		all = append(all, c)
	}
	waiting, idle := p.waiting, p.idle
	p.waiting, p.idle = nil, nil
	p.mu.Unlock()
	for _, ready := range waiting {
		ready <- nil // begin finds the pool closed
	}
	for _, c := range all {
		c.kill(reasonStop)
	}
	for _, c := range all {
		<-c.gone
	}
	for _, c := range idle { // of the others, the callers that use them hang up
		c.hangUp()
	}
	p.stopped.Wait()
	close(p.launcher.quit)
	return nil
}

func stopping() error { return fault.New(fault.Unavailable, "the server is about to stop") }
