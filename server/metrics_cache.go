package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/safelight/safelight/cache"
)

// cacheCollector reads the result cache's own figures when somebody asks.
type cacheCollector struct{ results *cache.Cache }

// tierSeries are the series of every tier that is on.
var tierSeries = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(cache.TierStats) int64
}{
	{tierDesc("hits_total", "Results found, by tier."), prometheus.CounterValue, func(t cache.TierStats) int64 { return t.Hits }},
	{tierDesc("evicted_total", "Results that had to go, by tier."), prometheus.CounterValue, func(t cache.TierStats) int64 { return t.Evicted }},
	{tierDesc("damaged_total", "Results found damaged and removed, by tier."), prometheus.CounterValue, func(t cache.TierStats) int64 { return t.Damaged }},
	{tierDesc("failures_total", "Reads and writes that failed, by tier."), prometheus.CounterValue, func(t cache.TierStats) int64 { return t.Failed }},
	{tierDesc("entries", "Results kept, by tier; S3 is not counted."), prometheus.GaugeValue, func(t cache.TierStats) int64 { return t.Entries }},
	{tierDesc("bytes", "Bytes kept, by tier."), prometheus.GaugeValue, func(t cache.TierStats) int64 { return t.Bytes }},
}

// cacheSeries are those of the whole cache.
var cacheSeries = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(cache.Stats) int64
}{
	{cacheDesc("misses_total", "Results that no tier had."), prometheus.CounterValue, func(s cache.Stats) int64 { return s.Misses }},
	{cacheDesc("stored_total", "Results written to files or S3."), prometheus.CounterValue, func(s cache.Stats) int64 { return s.Stored }},
	{cacheDesc("dropped_total", "Results not written, because too many waited."), prometheus.CounterValue, func(s cache.Stats) int64 { return s.Dropped }},
	{cacheDesc("waiting", "Results that wait to be written."), prometheus.GaugeValue, func(s cache.Stats) int64 { return int64(s.Waiting) }},
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

// Collect reads them.
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
