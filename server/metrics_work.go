package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// workCollector reads the figures of the queue when somebody asks.
type workCollector struct{ work *workers }

var refusedDesc = prometheus.NewDesc(prefix+"work_refused_total", "Pictures that were not worked on, by reason.", []string{"reason"}, nil)

// workSeries are the figures of the queue that have no labels.
var workSeries = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(WorkStats) float64
}{
	{workDesc("queue_depth", "Pictures that wait for a worker."), prometheus.GaugeValue, func(s WorkStats) float64 { return float64(s.Waiting) }},
	{workDesc("queue_backlog_seconds", "Predicted time until all that runs and waits is done."), prometheus.GaugeValue, func(s WorkStats) float64 { return s.Backlog.Seconds() }},
	{workDesc("workers_busy", "Pictures at work."), prometheus.GaugeValue, func(s WorkStats) float64 { return float64(s.Running) }},
	{workDesc("work_admitted_total", "Pictures that were worked on."), prometheus.CounterValue, func(s WorkStats) float64 { return float64(s.Admitted) }},
	{workDesc("work_waited_seconds_total", "Time that the pictures that were worked on waited before."), prometheus.CounterValue, func(s WorkStats) float64 { return s.Waited.Seconds() }},
	{workDesc("work_memory_bytes", "Estimated memory of the pictures at work."), prometheus.GaugeValue, func(s WorkStats) float64 { return float64(s.Memory) }},
	{workDesc("work_memory_budget_bytes", "What they may take together; 0: no bound."), prometheus.GaugeValue, func(s WorkStats) float64 { return float64(s.Budget) }},
	{workDesc("work_pace", "Time that pictures took lately, by what was estimated."), prometheus.GaugeValue, func(s WorkStats) float64 { return s.Pace }},
}

// refusals are the reasons for which a picture is not worked on.
var refusals = []struct {
	reason string
	read   func(WorkStats) uint64
}{
	{"full", func(s WorkStats) uint64 { return s.Full }},
	{"long", func(s WorkStats) uint64 { return s.Long }},
	{"large", func(s WorkStats) uint64 { return s.Large }},
	{"expired", func(s WorkStats) uint64 { return s.Expired }},
	{"abandoned", func(s WorkStats) uint64 { return s.Abandoned }},
}

func workDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+name, help, nil, nil)
}

// Describe lists the series.
func (workCollector) Describe(out chan<- *prometheus.Desc) {
	out <- refusedDesc
	for _, s := range workSeries {
		out <- s.desc
	}
}

// Collect reads them.
func (c workCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.work.Stats()
	for _, s := range workSeries {
		out <- prometheus.MustNewConstMetric(s.desc, s.kind, s.read(stats))
	}
	for _, r := range refusals {
		out <- prometheus.MustNewConstMetric(refusedDesc, prometheus.CounterValue, float64(r.read(stats)), r.reason)
	}
}

// estimates counts how long pictures were at work by what was estimated for them.
func estimates() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: prefix + "work_estimate_ratio",
		Help: "Time that pictures were at work, by the estimate of their CPU.", Buckets: []float64{0.125, 0.25, 0.5, 0.71, 1, 1.41, 2, 4, 8, 16}})
}

// worthComparing is the least estimate that is compared with the clock: what is shorter tells of the machine only.
const worthComparing = 5 * time.Millisecond
