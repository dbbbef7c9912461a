// Package timeseries records what a server did in the last hour, with a sample every ten seconds, for the plots of the
// administration. It takes about 60 KB, regardless of the load. Each server records only its own activity: a sum over
// servers would look complete even if one of them did not report.
package timeseries

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Interval is the time between two samples. Kept is the max number of samples, one hour.
const (
	Interval = 10 * time.Second
	Kept     = 360
)

// Stage is a stage of an image request. Its values are those of the API.
type Stage string

// The stages.
const (
	Queue   Stage = "QUEUE"
	Load    Stage = "LOAD"
	Process Stage = "PROCESS"
	Encode  Stage = "ENCODE"
	Send    Stage = "SEND"
)

// Stages are all stages, in the order in which a request goes through them.
var Stages = [...]Stage{Queue, Load, Process, Encode, Send}

// Counters are what a server has done since its start.
type Counters struct {
	Answers, Images int64
	Took            time.Duration // of images, without the time for sending
	Spent           [len(Stages)]time.Duration
	Hits, Misses    int64 // of the result cache
}

// Gauges are values that are read at the end of an interval.
type Gauges struct {
	Waiting, Running, MaxRunning int // pictures in the queue, pictures being processed, and the max of the latter
}

// Processes are the worker processes of the server.
type Processes struct {
	Running int
	Bytes   int64 // of memory
}

// Sources are functions that are called for each sample. Counters and Gauges must be cheap. Workers, which is nil
// without worker processes, may be slower: while the server is idle, it is called at most once a minute.
type Sources struct {
	Counters func() Counters
	Gauges   func() Gauges
	Workers  func() Processes
}

// totals are the counters and gauges at one moment.
type totals struct {
	Counters
	at        time.Time
	gauges    Gauges
	processes Processes
	memory    int64
}

// Recorder records samples. Create it with New. Its methods are safe for concurrent use.
type Recorder struct {
	id, name string
	started  time.Time
	now      func() time.Time
	memory   func() int64
	sources  atomic.Pointer[Sources]

	mu   sync.Mutex
	ring [Kept + 1]totals // a sample is the difference between two of these
	end  int              // how many totals were taken
}

// New returns a recorder for a server that starts now. If now is nil, it is time.Now.
func New(now func() time.Time) *Recorder {
	if now == nil {
		now = time.Now
	}
	name, err := os.Hostname()
	if err != nil {
		name = "server"
	}
	return &Recorder{id: rand.Text()[:12], name: name, started: now().UTC(), now: now, memory: resident}
}

// Read sets the sources. Call it before Run.
func (r *Recorder) Read(s Sources) { r.sources.Store(&s) }

// Run takes a sample now and every Interval until ctx ends.
func (r *Recorder) Run(ctx context.Context) {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		r.Sample()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sample takes a sample.
func (r *Recorder) Sample() {
	t := totals{at: r.now(), memory: r.memory()}
	s := r.sources.Load()
	if s != nil && s.Counters != nil {
		t.Counters = s.Counters()
	}
	if s != nil && s.Gauges != nil {
		t.gauges = s.Gauges()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before, first := r.ring[(r.end+len(r.ring)-1)%len(r.ring)], r.end == 0
	t.processes = before.processes
	if idle := !first && t.Images == before.Images && t.gauges.Running == 0; s != nil && s.Workers != nil &&
		(!idle || r.end%6 == 0) {
		t.processes = s.Workers()
	}
	r.ring[r.end%len(r.ring)] = t
	r.end++
}

// Last returns the samples of the last hour, oldest first. With the cursor of an earlier result of the same run, it
// returns only newer samples. It ignores any other cursor.
func (r *Recorder) Last(cursor string) *Hour {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := max(1, r.end-Kept)
	if n, ok := r.position(cursor); ok {
		from = max(from, n)
	}
	h := &Hour{Server: Server{ID: r.id, Name: r.name, StartedAt: r.started}, Interval: int32(Interval / time.Second),
		Cursor: fmt.Sprintf("%s.%d", r.id, r.end), Samples: []*Sample{}}
	for i := from; i < r.end; i++ {
		h.Samples = append(h.Samples, between(&r.ring[(i-1)%len(r.ring)], &r.ring[i%len(r.ring)]))
	}
	return h
}

// position returns the number in a cursor of this server.
func (r *Recorder) position(cursor string) (n int, ok bool) {
	rest, ok := strings.CutPrefix(cursor, r.id+".")
	if !ok || len(rest) > 12 {
		return 0, false
	}
	if _, err := fmt.Sscanf(rest, "%d", &n); err != nil || n < 0 || n > r.end || fmt.Sprint(n) != rest {
		return 0, false
	}
	return n, true
}
