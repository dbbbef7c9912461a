package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/safelight/safelight/imaging"
)

// workerCollector exports the statistics of worker processes.
type workerCollector struct{ workers imaging.WorkerReporter }

var workersLost = prometheus.NewDesc(prefix+"worker_lost_total",
	"Worker processes that ended before their time, by reason.", []string{"reason"}, nil)

// workerSeries are the series without labels.
var workerSeries = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(imaging.WorkerStats) float64
}{
	{workerDesc("processes", "Worker processes that run."), prometheus.GaugeValue,
		func(s imaging.WorkerStats) float64 { return float64(s.Running) }},
	{workerDesc("idle", "Worker processes without work."), prometheus.GaugeValue,
		func(s imaging.WorkerStats) float64 { return float64(s.Idle) }},
	{workerDesc("memory_bytes", "Memory of all worker processes: their proportional share."), prometheus.GaugeValue,
		func(s imaging.WorkerStats) float64 { return float64(s.Bytes) }},
	{workerDesc("started_total", "Worker processes that were started."), prometheus.CounterValue,
		func(s imaging.WorkerStats) float64 { return float64(s.Started) }},
	{workerDesc("retired_total", "Worker processes that ended as planned."), prometheus.CounterValue,
		func(s imaging.WorkerStats) float64 { return float64(s.Retired) }},
	{workerDesc("refused_total", "Images that were refused because they broke workers before."),
		prometheus.CounterValue, func(s imaging.WorkerStats) float64 { return float64(s.Refused) }},
}

func workerDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+"worker_"+name, help, nil, nil)
}

// Describe lists the series.
func (workerCollector) Describe(out chan<- *prometheus.Desc) {
	out <- workersLost
	for _, s := range workerSeries {
		out <- s.desc
	}
}

// Collect exports the current values.
func (c workerCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.workers.Workers()
	for _, s := range workerSeries {
		out <- prometheus.MustNewConstMetric(s.desc, s.kind, s.read(stats))
	}
	for reason, n := range stats.Lost {
		out <- prometheus.MustNewConstMetric(workersLost, prometheus.CounterValue, float64(n), reason)
	}
}
