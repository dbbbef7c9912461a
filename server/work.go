package server

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// workers admits work: so many jobs at once, so much memory at once, and a bounded queue before it. The queue is in the
// order of arrival, but that dear work gives way: docs/decisions/0014.
type workers struct {
	limits workLimits
	idle   func()                              // called once nothing was under way for a while after a burst; may be nil
	noted  func(estimated, took time.Duration) // called with each job that is done; may be nil

	mu      sync.Mutex
	running map[*ticket]bool
	waiting []*ticket // by due
	memory  int64     // estimated, of what runs
	pace    pace
	stats   WorkStats
	rest    *time.Timer
	burst   int64 // estimated bytes since idle was called
}

// workLimits bound the work. Zero patience is for ever, zero memory is no bound.
type workLimits struct {
	slots    int
	queue    int           // jobs that wait
	patience time.Duration // how long one waits
	memory   int64         // bytes of all that run
}

// WorkStats are the figures of the queue. The counters only grow.
type WorkStats struct {
	Running, Waiting int           // jobs
	Memory, Budget   int64         // estimated bytes of what runs, and what they may be; 0 is no bound
	Backlog          time.Duration // estimated time until all that runs and waits is done
	Admitted         uint64        // jobs that began
	Full             uint64        // jobs that found no room in the queue
	Long             uint64        // jobs that would not have been served in time
	Large            uint64        // jobs that would take more memory alone than all may together
	Expired          uint64        // jobs that waited until their patience ended
	Abandoned        uint64        // jobs whose client went away, or whose time was up, while they waited
	Waited           time.Duration // of all jobs that began
	Pace             float64       // time that jobs took, by what was estimated
}

// ticket is a job that runs or waits.
type ticket struct {
	cost  imaging.Cost
	since time.Time // it came, or began
	due   time.Time // its place in the queue
	ready chan struct{}
}

// How much dear work gives way: it is put behind what comes within gives times its estimate, and within half of the patience.
const gives = 4

func newWorkers(l workLimits) *workers {
	return &workers{limits: l, running: map[*ticket]bool{}, pace: newPace()}
}

// acquire waits until the job may run; release, which may be called more than once, ends it. fault.Overloaded when
// it cannot begin in time, fault.TooLarge when it would never fit, fault.Timeout or fault.Canceled when ctx ends first.
func (w *workers) acquire(ctx context.Context, cost imaging.Cost) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	t, err := w.enter(cost)
	if err != nil {
		return nil, err
	}
	release = sync.OnceFunc(func() { w.leave(t) })
	select {
	case <-t.ready:
		return release, nil
	default:
	}
	var late <-chan time.Time
	if w.limits.patience > 0 {
		timer := time.NewTimer(w.limits.patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-t.ready:
		return release, nil
	case <-ctx.Done():
		if !w.withdraw(t, &w.stats.Abandoned) {
			release()
		}
		return nil, ended(ctx)
	case <-late:
		if !w.withdraw(t, &w.stats.Expired) {
			return release, nil // it was its turn at that very moment
		}
		return nil, overloaded(w.retryAfter(), "the picture waited %s for its turn, try again later", w.limits.patience)
	}
}

// enter lets the job begin, or puts it in the queue.
func (w *workers) enter(cost imaging.Cost) (*ticket, error) {
	if w.limits.memory > 0 && cost.Memory > w.limits.memory {
		w.count(&w.stats.Large)
		return nil, fault.New(fault.TooLarge, "the picture would take about %d MB of memory, expected at most %d MB", cost.Memory>>20, w.limits.memory>>20)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	t := &ticket{cost: cost, since: now, due: now.Add(w.handicap(cost)), ready: make(chan struct{})}
	if len(w.waiting) == 0 && w.fits(t) {
		w.begin(t)
		return t, nil
	}
	if counter, err := w.refusal(t); err != nil {
		*counter++
		return nil, err
	}
	at, _ := slices.BinarySearchFunc(w.waiting, t, func(a, b *ticket) int {
		if a.due.After(b.due) {
			return 1
		}
		return -1 // equal ones in the order of arrival
	})
	w.waiting = slices.Insert(w.waiting, at, t)
	w.dispatch() // it may fit where the first does not
	return t, nil
}

// handicap is how far behind its arrival a job stands in the queue.
func (w *workers) handicap(cost imaging.Cost) time.Duration {
	h := gives * cost.CPU
	if w.limits.patience > 0 {
		h = min(h, w.limits.patience/2)
	}
	return h
}

func (w *workers) fits(t *ticket) bool {
	if len(w.running) >= w.limits.slots {
		return false
	}
	return w.limits.memory <= 0 || len(w.running) == 0 || w.memory+t.cost.Memory <= w.limits.memory
}

func (w *workers) count(counter *uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*counter++
}

// refusal says why the job need not wait, and where that is counted: the queue is full, or it would not get its turn in time.
func (w *workers) refusal(t *ticket) (counter *uint64, err error) {
	if len(w.waiting) >= w.limits.queue {
		return &w.stats.Full, overloaded(w.backlog()/2, "too many pictures are waiting, try again later")
	}
	if w.limits.patience <= 0 {
		return nil, nil
	}
	if wait := w.ahead(t.due); wait > w.limits.patience {
		return &w.stats.Long, overloaded(wait-w.limits.patience/2, "the queue is about %s long, which is too long, try again later", wait.Round(time.Second))
	}
	return nil, nil
}

func overloaded(after time.Duration, format string, args ...any) error {
	f := fault.New(fault.Overloaded, format, args...)
	f.RetryAfter = min(max(after, time.Second), time.Minute)
	return f
}

// begin starts the job.
func (w *workers) begin(t *ticket) {
	now := time.Now()
	w.stats.Admitted++
	w.stats.Waited += now.Sub(t.since)
	t.since = now
	w.running[t] = true
	w.memory += t.cost.Memory
	w.burst += t.cost.Memory
	if w.rest != nil {
		w.rest.Stop()
	}
	close(t.ready)
}

// dispatch starts what waits and fits. What does not fit lets others pass, but not for long.
func (w *workers) dispatch() {
	for n := 0; n < len(w.waiting) && len(w.running) < w.limits.slots; {
		t := w.waiting[n]
		if w.fits(t) {
			w.waiting = slices.Delete(w.waiting, n, n+1)
			w.begin(t)
			continue
		}
		if w.limits.patience > 0 && time.Since(t.since) > w.limits.patience/4 {
			return
		}
		n++
	}
}

// leave ends the job.
func (w *workers) leave(t *ticket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, t)
	w.memory -= t.cost.Memory
	took := time.Since(t.since)
	w.pace.note(t.cost.CPU, took)
	if w.noted != nil {
		w.noted(t.cost.CPU, took)
	}
	w.dispatch()
	w.rested()
}

// withdraw takes the job out of the queue and counts it; false when it has begun.
func (w *workers) withdraw(t *ticket, counter *uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.Index(w.waiting, t)
	if at < 0 {
		return false
	}
	w.waiting = slices.Delete(w.waiting, at, at+1)
	*counter++
	w.dispatch() // it may have stood in the way
	return true
}

// threads is how many threads the job that has just been let in should use: all cores when it is alone, 1 when
// everybody has work.
func (w *workers) threads() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(1, min(w.limits.slots, runtime.GOMAXPROCS(0))/max(1, len(w.running)+len(w.waiting)))
}

// saturated returns the error of a job that costs next to nothing and would be refused; nil when it would not be.
func (w *workers) saturated() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.refusesAll()
	return err
}

// turnAway is saturated for a job that has come, before anything is read to find out what it costs: what is refused must
// cost next to nothing.
func (w *workers) turnAway() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	counter, err := w.refusesAll()
	if err != nil {
		*counter++
	}
	return err
}

func (w *workers) refusesAll() (counter *uint64, err error) {
	if len(w.waiting) == 0 {
		return nil, nil
	}
	return w.refusal(&ticket{due: time.Now()})
}

// Stats returns the figures of now.
func (w *workers) Stats() WorkStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Running, s.Waiting, s.Memory, s.Budget = len(w.running), len(w.waiting), w.memory, w.limits.memory
	s.Backlog, s.Pace = w.backlog(), w.pace.factor()
	return s
}

// Busy reports whether a picture is being made for somebody.
func (s *Server) Busy() bool {
	s.work.mu.Lock()
	defer s.work.mu.Unlock()
	return len(s.work.running) > 0
}

// ended tells a deadline from a client that went away.
func ended(ctx context.Context) error {
	if context.Cause(ctx) == context.DeadlineExceeded {
		return fault.New(fault.Timeout, "the picture took too long")
	}
	return fault.New(fault.Canceled, "the client went away")
}
