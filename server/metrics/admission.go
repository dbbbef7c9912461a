package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/safelight/safelight/server/admission"
)

// admissionCollector exports the statistics of the admission controller.
type admissionCollector struct{ work *admission.Controller }

var refusedDesc = prometheus.NewDesc(prefix+"work_refused_total", "Rejected pictures, by reason.",
	[]string{"reason"}, nil)

// workSeries are the series without labels.
var workSeries = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(admission.Stats) float64
}{
	{workDesc("queue_depth", "Pictures that wait for a worker."), prometheus.GaugeValue,
		func(s admission.Stats) float64 { return float64(s.Waiting) }},
	{workDesc("queue_backlog_seconds", "Predicted time until all running and waiting pictures are done."),
		prometheus.GaugeValue, func(s admission.Stats) float64 { return s.Backlog.Seconds() }},
	{workDesc("workers_busy", "Pictures being processed."), prometheus.GaugeValue,
		func(s admission.Stats) float64 { return float64(s.Running) }},
	{workDesc("work_admitted_total", "Admitted pictures."), prometheus.CounterValue,
		func(s admission.Stats) float64 { return float64(s.Admitted) }},
	{workDesc("work_waited_seconds_total", "Time that admitted pictures waited in the queue."),
		prometheus.CounterValue, func(s admission.Stats) float64 { return s.Waited.Seconds() }},
	{workDesc("work_memory_bytes", "Estimated memory of the pictures being processed."), prometheus.GaugeValue,
		func(s admission.Stats) float64 { return float64(s.Memory) }},
	{workDesc("work_memory_budget_bytes", "Limit of the estimated memory; 0: no limit."), prometheus.GaugeValue,
		func(s admission.Stats) float64 { return float64(s.MaxMemory) }},
	{workDesc("work_pace", "Recent run time of pictures divided by its estimate."), prometheus.GaugeValue,
		func(s admission.Stats) float64 { return s.SpeedRatio }},
}

// refusals are the reasons for rejecting a picture.
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

// Collect exports the current values.
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
		Help:    "Run time of pictures divided by their estimated CPU time.",
		Buckets: []float64{0.125, 0.25, 0.5, 0.71, 1, 1.41, 2, 4, 8, 16}})
}

// minComparedEstimate is the smallest estimate that is compared with the run time: shorter times reflect the machine's
// load rather than the estimate.
const minComparedEstimate = 5 * time.Millisecond

// JobFinished compares the run time of a job with its estimate.
func (m *Metrics) JobFinished(estimated, took time.Duration) {
	if estimated >= minComparedEstimate {
		m.ratios.Observe(took.Seconds() / estimated.Seconds())
	}
}
