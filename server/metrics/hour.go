package metrics

import (
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/timeseries"
)

// hourStages maps the stages to those in the figures of the last hour.
var hourStages = map[string]timeseries.Stage{Queue: timeseries.Queue, Load: timeseries.Load,
	Process: timeseries.Process, Encode: timeseries.Encode, Write: timeseries.Send}

// hourSources returns what the figures of the last hour are read from.
func hourSources(s Sources) timeseries.Sources {
	read := timeseries.Sources{Gauges: func() timeseries.Gauges {
		work, results := s.Work.Stats(), s.Results.Stats()
		return timeseries.Gauges{Waiting: work.Waiting, Running: work.Running, MaxRunning: s.Workers,
			Hits: results.Memory.Hits + results.Files.Hits + results.Remote.Hits, Misses: results.Misses}
	}}
	if r, ok := s.Engine.(imaging.WorkerReporter); ok {
		read.Workers = func() timeseries.Processes {
			stats := r.Workers()
			return timeseries.Processes{Running: stats.Running, Bytes: stats.Bytes}
		}
	}
	return read
}
