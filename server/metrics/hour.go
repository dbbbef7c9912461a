package metrics

import (
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/figures"
)

// hourStages are the stages in the figures of the last hour.
var hourStages = map[string]figures.Stage{Queue: figures.Queue, Load: figures.Load, Process: figures.Process, Encode: figures.Encode, Write: figures.Send}

// hourSources are what the figures of the last hour read.
func hourSources(s Sources) figures.Sources {
	read := figures.Sources{Gauges: func() figures.Gauges {
		work, results := s.Work.Stats(), s.Results.Stats()
		return figures.Gauges{Waiting: work.Waiting, Running: work.Running, MaxRunning: s.Workers,
			Hits: results.Memory.Hits + results.Files.Hits + results.Remote.Hits, Misses: results.Misses}
	}}
	if r, ok := s.Engine.(imaging.WorkerReporter); ok {
		read.Workers = func() figures.Processes {
			stats := r.Workers()
			return figures.Processes{Running: stats.Running, Bytes: stats.Bytes}
		}
	}
	return read
}
