package metrics

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/timeseries"
)

// hourStages maps the stages in the figures of the last hour to the stages.
var hourStages = map[timeseries.Stage]string{timeseries.Queue: Queue, timeseries.Load: Load,
	timeseries.Process: Process, timeseries.Encode: Encode, timeseries.Send: Write}

// hourSources returns what the figures of the last hour are read from.
func (m *Metrics) hourSources(s Sources) timeseries.Sources {
	read := timeseries.Sources{
		Counters: func() timeseries.Counters {
			c, results := m.counted(), s.Results.Stats()
			c.Hits, c.Misses = results.Memory.Hits+results.Files.Hits+results.Remote.Hits, results.Misses
			return c
		},
		Gauges: func() timeseries.Gauges {
			work := s.Work.Stats()
			return timeseries.Gauges{Waiting: work.Waiting, Running: work.Running, MaxRunning: s.Workers}
		},
	}
	if r, ok := s.Engine.(imaging.WorkerReporter); ok {
		read.Workers = func() timeseries.Processes {
			stats := r.Workers()
			return timeseries.Processes{Running: stats.Running, Bytes: stats.Bytes}
		}
	}
	return read
}

// counted returns what the series say of the requests since the start.
func (m *Metrics) counted() timeseries.Counters {
	var c timeseries.Counters
	c.Images, c.Took = totalOf(m.images)
	for i, stage := range timeseries.Stages {
		_, c.Spent[i] = totalOf(m.stageOf[hourStages[stage]])
	}
	series := make(chan prometheus.Metric)
	go func() {
		defer close(series)
		m.requests.Collect(series)
	}()
	for one := range series {
		c.Answers += int64(valueOf(one).GetCounter().GetValue())
	}
	return c
}

// totalOf returns the number and the sum of the times in a histogram.
func totalOf(histogram prometheus.Observer) (n int64, sum time.Duration) {
	h := valueOf(histogram.(prometheus.Metric)).GetHistogram()
	return int64(h.GetSampleCount()), time.Duration(math.Round(h.GetSampleSum() * float64(time.Second)))
}

func valueOf(m prometheus.Metric) *dto.Metric {
	value := &dto.Metric{}
	_ = m.Write(value) // it fails only for metrics that could not be made
	return value
}
