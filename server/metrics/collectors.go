package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/admission"
)

// collector exports series of a snapshot that is taken at each scrape, so that its values are consistent.
type collector[S any] struct {
	snapshot func() S
	series   []series[S]
}

// series is one metric of a snapshot.
type series[S any] struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(snapshot S, report func(value float64, labels ...string))
}

// Describe implements prometheus.Collector.
func (c collector[S]) Describe(out chan<- *prometheus.Desc) {
	for _, s := range c.series {
		out <- s.desc
	}
}

// Collect implements prometheus.Collector.
func (c collector[S]) Collect(out chan<- prometheus.Metric) {
	snapshot := c.snapshot()
	for _, s := range c.series {
		s.read(snapshot, func(value float64, labels ...string) {
			out <- prometheus.MustNewConstMetric(s.desc, s.kind, value, labels...)
		})
	}
}

func gaugeOf[S any](name, help string, read func(S) float64) series[S] {
	return series[S]{prometheus.NewDesc(prefix+name, help, nil, nil), prometheus.GaugeValue,
		func(s S, report func(float64, ...string)) { report(read(s)) }}
}

func counterOf[S any](name, help string, read func(S) float64) series[S] {
	s := gaugeOf(name, help, read)
	s.kind = prometheus.CounterValue
	return s
}

// countersByReason returns one counter for each reason that read returns.
func countersByReason[S any](name, help string, read func(S) map[string]uint64) series[S] {
	return series[S]{prometheus.NewDesc(prefix+name, help, []string{"reason"}, nil), prometheus.CounterValue,
		func(s S, report func(float64, ...string)) {
			for reason, n := range read(s) {
				report(float64(n), reason)
			}
		}}
}

// byTier returns one metric for each tier that is on.
func byTier(kind prometheus.ValueType, name, help string, read func(cache.TierStats) int64) series[cache.Stats] {
	return series[cache.Stats]{prometheus.NewDesc(prefix+name, help, []string{"tier"}, nil), kind,
		func(s cache.Stats, report func(float64, ...string)) {
			for tier, t := range map[string]cache.TierStats{"memory": s.Memory, "file": s.Files, "s3": s.Remote} {
				if t.On {
					report(float64(read(t)), tier)
				}
			}
		}}
}

// newWorkCollector exports the statistics of the admission controller.
func newWorkCollector(work *admission.Controller) prometheus.Collector {
	type stats = admission.Stats
	return collector[stats]{work.Stats, []series[stats]{
		gaugeOf("queue_depth", "Pictures that wait for a worker.",
			func(s stats) float64 { return float64(s.Waiting) }),
		gaugeOf("queue_backlog_seconds", "Predicted time until all running and waiting pictures are done.",
			func(s stats) float64 { return s.Backlog.Seconds() }),
		gaugeOf("workers_busy", "Pictures being processed.",
			func(s stats) float64 { return float64(s.Running) }),
		counterOf("work_admitted_total", "Admitted pictures.",
			func(s stats) float64 { return float64(s.Admitted) }),
		counterOf("work_waited_seconds_total", "Time that admitted pictures waited in the queue.",
			func(s stats) float64 { return s.Waited.Seconds() }),
		gaugeOf("work_memory_bytes", "Estimated memory of the pictures being processed.",
			func(s stats) float64 { return float64(s.Memory) }),
		gaugeOf("work_memory_budget_bytes", "Limit of the estimated memory; 0: no limit.",
			func(s stats) float64 { return float64(s.MaxMemory) }),
		gaugeOf("work_pace", "Recent run time of pictures divided by its estimate.",
			func(s stats) float64 { return s.SpeedRatio }),
		countersByReason("work_refused_total", "Rejected pictures, by reason.",
			func(s stats) map[string]uint64 {
				return map[string]uint64{"full": s.QueueFull, "long": s.WaitTooLong, "large": s.TooLarge,
					"expired": s.TimedOut, "abandoned": s.Canceled}
			}),
	}}
}

// newCacheCollector exports the statistics of the result cache.
func newCacheCollector(results *cache.Cache) prometheus.Collector {
	type stats = cache.Stats
	type tier = cache.TierStats
	return collector[stats]{results.Stats, []series[stats]{
		byTier(prometheus.CounterValue, "cache_hits_total", "Cache hits, by tier.",
			func(t tier) int64 { return t.Hits }),
		byTier(prometheus.CounterValue, "cache_evicted_total", "Evicted results, by tier.",
			func(t tier) int64 { return t.Evicted }),
		byTier(prometheus.CounterValue, "cache_damaged_total", "Damaged results that were removed, by tier.",
			func(t tier) int64 { return t.Damaged }),
		byTier(prometheus.CounterValue, "cache_failures_total", "Failed reads and writes, by tier.",
			func(t tier) int64 { return t.Failed }),
		byTier(prometheus.GaugeValue, "cache_entries", "Cached results, by tier; unknown for S3.",
			func(t tier) int64 { return t.Entries }),
		byTier(prometheus.GaugeValue, "cache_bytes", "Cached bytes, by tier; unknown for S3.",
			func(t tier) int64 { return t.Bytes }),
		counterOf("cache_misses_total", "Cache misses.",
			func(s stats) float64 { return float64(s.Misses) }),
		counterOf("cache_stored_total", "Results written to files or S3.",
			func(s stats) float64 { return float64(s.Stored) }),
		counterOf("cache_dropped_total", "Results not written because the queue was full.",
			func(s stats) float64 { return float64(s.Dropped) }),
		gaugeOf("cache_waiting", "Results queued for writing.",
			func(s stats) float64 { return float64(s.Waiting) }),
	}}
}

// newWorkerCollector exports the statistics of worker processes.
func newWorkerCollector(workers imaging.WorkerReporter) prometheus.Collector {
	type stats = imaging.WorkerStats
	return collector[stats]{workers.Workers, []series[stats]{
		gaugeOf("worker_processes", "Worker processes that run.",
			func(s stats) float64 { return float64(s.Running) }),
		gaugeOf("worker_idle", "Worker processes without work.",
			func(s stats) float64 { return float64(s.Idle) }),
		gaugeOf("worker_memory_bytes", "Memory of all worker processes: their proportional share.",
			func(s stats) float64 { return float64(s.Bytes) }),
		counterOf("worker_started_total", "Worker processes that were started.",
			func(s stats) float64 { return float64(s.Started) }),
		counterOf("worker_retired_total", "Worker processes that ended as planned.",
			func(s stats) float64 { return float64(s.Retired) }),
		counterOf("worker_refused_total", "Images that were refused because they broke workers before.",
			func(s stats) float64 { return float64(s.Refused) }),
		countersByReason("worker_lost_total", "Worker processes that ended before their time, by reason.",
			func(s stats) map[string]uint64 { return s.Lost }),
	}}
}
