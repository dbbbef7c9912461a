package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/safelight/safelight/cache"
)

// cacheCollector exports the statistics of the result cache.
type cacheCollector struct{ results *cache.Cache }

// tierSeries are the series of each tier.
var tierSeries = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(cache.TierStats) int64
}{
	{tierDesc("hits_total", "Cache hits, by tier."), prometheus.CounterValue,
		func(t cache.TierStats) int64 { return t.Hits }},
	{tierDesc("evicted_total", "Evicted results, by tier."), prometheus.CounterValue,
		func(t cache.TierStats) int64 { return t.Evicted }},
	{tierDesc("damaged_total", "Damaged results that were removed, by tier."), prometheus.CounterValue,
		func(t cache.TierStats) int64 { return t.Damaged }},
	{tierDesc("failures_total", "Failed reads and writes, by tier."), prometheus.CounterValue,
		func(t cache.TierStats) int64 { return t.Failed }},
	{tierDesc("entries", "Cached results, by tier; unknown for S3."), prometheus.GaugeValue,
		func(t cache.TierStats) int64 { return t.Entries }},
	{tierDesc("bytes", "Cached bytes, by tier; unknown for S3."), prometheus.GaugeValue,
		func(t cache.TierStats) int64 { return t.Bytes }},
}

// cacheSeries are the series of the whole cache.
var cacheSeries = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(cache.Stats) int64
}{
	{cacheDesc("misses_total", "Cache misses."), prometheus.CounterValue,
		func(s cache.Stats) int64 { return s.Misses }},
	{cacheDesc("stored_total", "Results written to files or S3."), prometheus.CounterValue,
		func(s cache.Stats) int64 { return s.Stored }},
	{cacheDesc("dropped_total", "Results not written because the queue was full."), prometheus.CounterValue,
		func(s cache.Stats) int64 { return s.Dropped }},
	{cacheDesc("waiting", "Results queued for writing."), prometheus.GaugeValue,
		func(s cache.Stats) int64 { return int64(s.Waiting) }},
}

func tierDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+"cache_"+name, help, []string{"tier"}, nil)
}

func cacheDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+"cache_"+name, help, nil, nil)
}

// Describe lists the series.
func (cacheCollector) Describe(out chan<- *prometheus.Desc) {
	for _, s := range tierSeries {
		out <- s.desc
	}
	for _, s := range cacheSeries {
		out <- s.desc
	}
}

// Collect exports the current values.
func (c cacheCollector) Collect(out chan<- prometheus.Metric) {
	stats := c.results.Stats()
	for tier, t := range map[string]cache.TierStats{"memory": stats.Memory, "file": stats.Files, "s3": stats.Remote} {
		if !t.On {
			continue
		}
		for _, s := range tierSeries {
			out <- prometheus.MustNewConstMetric(s.desc, s.kind, float64(s.read(t)), tier)
		}
	}
	for _, s := range cacheSeries {
		out <- prometheus.MustNewConstMetric(s.desc, s.kind, float64(s.read(stats)))
	}
}
