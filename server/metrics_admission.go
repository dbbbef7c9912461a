package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/safelight/safelight/server/admission"
)

// workCollector reads the figures of the queue when somebody asks.
type admissionCollector struct{ work *admission.Controller }

var refusedDesc = prometheus.NewDesc(prefix+"work_refused_total", "Pictures that were not worked on, by reason.", []string{"reason"}, nil)

// workSeries are the figures of the queue that have no labels.
var workSeries = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(admission.Stats) float64
}{
	{workDesc("queue_depth", "Pictures that wait for a worker."), prometheus.GaugeValue, func(s admission.Stats) float64 { return float64(s.Waiting) }},
	{workDesc("queue_backlog_seconds", "Predicted time until all that runs and waits is done."), prometheus.GaugeValue, func(s admission.Stats) float64 { return s.Backlog.Seconds() }},
	{workDesc("workers_busy", "Pictures at work."), prometheus.GaugeValue, func(s admission.Stats) float64 { return float64(s.Running) }},
	{workDesc("work_admitted_total", "Pictures that were worked on."), prometheus.CounterValue, func(s admission.Stats) float64 { return float64(s.Admitted) }},
	{workDesc("work_waited_seconds_total", "Time that the pictures that were worked on waited before."), prometheus.CounterValue, func(s admission.Stats) float64 { return s.Waited.Seconds() }},
	{workDesc("work_memory_bytes", "Estimated memory of the pictures at work."), prometheus.GaugeValue, func(s admission.Stats) float64 { return float64(s.Memory) }},
	{workDesc("work_memory_budget_bytes", "What they may take together; 0: no bound."), prometheus.GaugeValue, func(s admission.Stats) float64 { return float64(s.MaxMemory) }},
	{workDesc("work_pace", "Time that pictures took lately, by what was estimated."), prometheus.GaugeValue, func(s admission.Stats) float64 { return s.SpeedRatio }},
}

// refusals are the reasons for which a picture is not worked on.
var refusals = []struct {
	reason string
	read   func(admission.Stats) uint64
}{
	{"full", func(s admission.Stats) uint64 { return s.QueueFull }},
	{"long", func(s admission.Stats) uint64 { return s.WaitTooLong }},
	{"large", func(s admission.Stats) uint64 { return s.TooLarge }},
	{"expired", func(s admission.Stats) uint64 { return s.TimedOut }},
	{"abandoned", func(s admission.Stats) uint64 { return s.Canceled }},
}

func workDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+name, help, nil, nil)
}

// Describe lists the series.
func (admissionCollector) Describe(out chan<- *prometheus.Desc) {
	out <- refusedDesc
	for _, s := range workSeries {
		out <- s.desc
	}
}

// Collect reads them.
func (c admissionCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.work.Stats()
	for _, s := range workSeries {
		out <- prometheus.MustNewConstMetric(s.desc, s.kind, s.read(stats))
	}
	for _, r := range refusals {
		out <- prometheus.MustNewConstMetric(refusedDesc, prometheus.CounterValue, float64(r.read(stats)), r.reason)
	}
}

// newEstimateRatios returns the histogram of run times divided by their estimates.
func newEstimateRatios() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: prefix + "work_estimate_ratio",
		Help: "Run time of pictures divided by their estimated CPU time.", Buckets: []float64{0.125, 0.25, 0.5, 0.71, 1, 1.41, 2, 4, 8, 16}})
}

// minComparedEstimate is the smallest estimate that is compared with the run time: shorter times say more about the machine's load.
const minComparedEstimate = 5 * time.Millisecond

// jobFinished compares the run time of a job with its estimate.
func (m *metrics) jobFinished(estimated, took time.Duration) {
	if estimated >= minComparedEstimate {
		m.ratios.Observe(took.Seconds() / estimated.Seconds())
	}
}
