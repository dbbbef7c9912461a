package imaging

// WorkerStats are the figures of an engine whose work is done in other processes. The counters only grow.
type WorkerStats struct {
	Running, Idle, Limit int               // processes
	Bytes                int64             // that they take: their proportional share, as the kernel says
	Started              uint64            // processes
	Retired              uint64            // that ended as planned: idle for long, or after so much work
	Lost                 map[string]uint64 // that did not, by reason; every reason is there
	Refused              uint64            // pictures that were refused because they broke workers before
}

// WorkerReporter is an Engine whose work is done in other processes.
type WorkerReporter interface {
	Workers() WorkerStats
	// Ready returns fault.Unavailable while no process can be started.
	Ready() error
}
