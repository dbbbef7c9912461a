//go:build linux

// Package worker runs an imaging.Engine in processes of its own, so that a picture that crashes a decoder ends one
// worker and one request, but not the server (docs/contributing/decisions/0006). Workers are processes of the same
// binary without network, files and rights; sources and results pass in memory files and descriptors.
package worker

import (
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/sandbox"
)

// Reason is why a worker ended unexpectedly.
type Reason string

// The reasons.
const (
	ReasonCrash    Reason = "crash"    // it ended by itself
	ReasonTimeout  Reason = "timeout"  // it did not stop at its timeout
	ReasonCanceled Reason = "canceled" // it did not stop after the client had disconnected
	ReasonMemory   Reason = "memory"   // it took too much memory, or could not get any
	// it could not start a thread, because the system had none left or it has started too many
	ReasonThreads Reason = "threads"
	// all workers together took too much memory, and this one exceeded its estimate the most
	ReasonBudget   Reason = "budget"
	ReasonKilled   Reason = "killed"   // somebody else killed it, for example the kernel when memory ran out
	ReasonStart    Reason = "start"    // it did not start
	ReasonProtocol Reason = "protocol" // its response was invalid
	reasonStop     Reason = "stop"     // the pool is closed
)

// Reasons returns every reason that is counted.
func Reasons() []Reason {
	return []Reason{
		ReasonCrash,
		ReasonTimeout,
		ReasonCanceled,
		ReasonMemory,
		ReasonThreads,
		ReasonBudget,
		ReasonKilled,
		ReasonStart,
		ReasonProtocol,
	}
}

const (
	startTimeout = 30 * time.Second
	cpuLimit     = 20 * time.Minute       // of CPU in a worker's life; it is replaced at half of it
	maxKeys      = 256                    // of sources that a worker may still have decoded
	endWait      = 250 * time.Millisecond // for a worker to end before another one starts
	// how many times Idle the last idle worker stays: it takes 29 MB, and starting another one 0.1 s of CPU
	lastIdle     = 60
	spareWorkers = 2 // processes besides those for pictures: one for the index and uploads, one for headers
	minMemory    = 128 << 20
	minBudget    = 2 * minMemory
	processRoom  = 64 << 20 // bytes of the budget for each process: half of it is taken before there is any work
)

// Config is the pool's settings. A zero field has the default that is named.
type Config struct {
	Mode imaging.Isolation // IsolateAll
	// concurrent jobs; one per core. Up to two more processes serve headers and the index
	Workers     int
	Jobs        int           // jobs after which a worker is replaced; default 2,000
	Idle        time.Duration // after which an idle worker ends; the last one stays 60 times as long; 1 minute
	Grace       time.Duration // in which a worker has to stop when its time is up; 500 ms
	MemoryLimit int64         // bytes of private memory of a worker; 1 GiB
	Budget      int64         // bytes of private memory of all workers together, at least 256 MiB; no limit
	Stack       int64         // bytes of a thread's stack; 16 MiB
	Refusal     time.Duration // for how long a job that crashed two workers is refused; 1 hour
	Slow        time.Duration // for how long a job that used up its time is refused; 10 minutes
	Drawing     time.Duration // CPU time of a job over an SVG, beside what its plan is estimated to take; 4 s
	Engine      EngineConfig
	Log         *slog.Logger // slog's default

	Env []string // of workers, besides what fonts and libraries need

	sent func() // called when a job has been sent to a worker; nil except in tests
}

func (c Config) withDefaults() (Config, error) {
	if c.Mode == "" {
		c.Mode = imaging.IsolateAll
	}
	switch c.Mode {
	case imaging.IsolateAll, imaging.IsolateRisky, imaging.IsolateNone:
	default:
		return c, fault.OnField(fault.Invalid, "isolation", "The isolation is %q, expected all, risky or off", c.Mode)
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	defaults(&c.Jobs, 2000)
	defaults(&c.Idle, time.Minute)
	defaults(&c.Grace, 500*time.Millisecond)
	defaults(&c.MemoryLimit, 1<<30)
	defaults(&c.Stack, 16<<20)
	defaults(&c.Refusal, time.Hour)
	defaults(&c.Slow, 10*time.Minute)
	defaults(&c.Drawing, 4*time.Second)
	c.MemoryLimit = max(c.MemoryLimit, minMemory)
	if c.Budget > 0 {
		c.Budget = max(c.Budget, minBudget)
		c.MemoryLimit = min(c.MemoryLimit, c.Budget)
		c.Workers = min(c.Workers, max(1, int(c.Budget/processRoom)-spareWorkers))
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c, nil
}

func defaults[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// New returns a pool. Workers start when there is work for them. local is an engine of the same binary with the same
// settings: it knows the formats and the version, and does the jobs that the mode allows in this process.
func New(c Config, local Engine) (*Pool, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &processes{
		config:   c,
		local:    local,
		launcher: newLauncher(),
		readable: sandbox.Readable(os.Environ()),
		limit:    c.Workers + spareWorkers,
		heavy:    make(chan struct{}, c.Workers+1),
		live:     map[*child]bool{},
		deaths:   map[Reason]uint64{},
		refused:  newRefusals(c.Refusal, maxDeaths),
		slow:     newRefusals(c.Slow, 1),
		starved:  newRefusals(starvedTime, maxStarved),
		done:     make(chan struct{}),
	}
	go p.keep()
	return &Pool{p, c.Mode}, nil
}
