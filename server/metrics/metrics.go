// Package metrics counts and times what the server does, for Prometheus. docs/reference/observability.md lists the
// series; a test compares them with the dashboard in deploy/grafana.
package metrics

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/coalesce"
	"github.com/safelight/safelight/timeseries"
)

// Metrics holds the series. Create it with New. Every method is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	stages   *prometheus.HistogramVec
	encode   *prometheus.HistogramVec
	routes   *prometheus.CounterVec
	errors   *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	ratios   prometheus.Histogram

	// The following are looked up only once, because every request uses them.
	stageOf map[string]prometheus.Observer
	load    prometheus.Observer
	write   prometheus.Observer
	sent    prometheus.Counter
	images  prometheus.Observer

	cached, unchanged prometheus.Counter // requests answered from the response cache
}

// The stages of an image request.
const (
	Load    = "load"    // opening and reading sources
	Queue   = "queue"   // waiting for a worker
	Process = "process" // decoding and processing
	Encode  = "encode"  // encoding and the decoding that overlaps with it: JPEG and PNG are processed row by row
	Write   = "write"   // sending
)

// times are the bounds of histogram buckets in seconds, from 0.1 ms to 30 s.
var times = prometheus.ExponentialBuckets(0.0001, 2.5, 14)

// Sources are what gauges read at each scrape.
type Sources struct {
	Work            *admission.Controller
	Coalescer       *coalesce.Coalescer
	Results         *cache.Cache // nil: no result cache
	Engine          imaging.Engine
	Workers         int          // max pictures processed at once
	Requests        func() int64 // in progress
	SourceMemory    func() int64 // bytes of buffered sources
	MaxSourceMemory int64        // bytes; 0: no limit
	Hour            *timeseries.Recorder
	State           State
}

// New returns the metrics of a server.
func New(s Sources) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counters("requests_total", "Requests by route and status.", "route", "status"),
		seconds:  histograms("request_seconds", "Duration of requests by route, without sending.", "route"),
		stages:   histograms("stage_seconds", "Duration of the stages of image requests.", "stage"),
		encode:   histograms("encode_seconds", "Duration of encoding by output format.", "format"),
		routes: counters("routes_total", "Pictures by the process and the code that made them.",
			"process", "decode", "scale", "filter", "encode"),
		errors: counters("errors_total", "Requests that failed, by error code.", "code"),
		ratios: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    prefix + "work_estimate_ratio",
			Help:    "Run time of pictures divided by their estimated CPU time.",
			Buckets: []float64{0.125, 0.25, 0.5, 0.71, 1, 1.41, 2, 4, 8, 16},
		}),
		bytes: counters("bytes_total", "Bytes read from sources (in) and sent (out).", "direction"),
	}
	m.stageOf = map[string]prometheus.Observer{}
	for _, name := range []string{Load, Queue, Process, Encode, Write} {
		m.stageOf[name] = m.stages.WithLabelValues(name)
	}
	m.load, m.write = m.stageOf[Load], m.stageOf[Write]
	m.cached, m.unchanged = m.requests.WithLabelValues(Image, "200"), m.requests.WithLabelValues(Image, "304")
	m.sent, m.images = m.bytes.WithLabelValues("out"), m.seconds.WithLabelValues(Image)
	s.Hour.Read(m.hourSources(s))
	for _, code := range fault.Codes() { // a rate needs a zero to start from
		m.errors.WithLabelValues(string(code))
	}
	m.registry.MustRegister(newWorkCollector(s.Work), stateCollector{s.State}, m.ratios, m.requests, m.seconds,
		m.stages, m.encode, m.routes, m.errors, m.bytes,
		gauge("source_memory_bytes", "Memory of buffered sources from network storage.",
			func() float64 { return float64(s.SourceMemory()) }),
		gauge("source_memory_budget_bytes", "Limit of the memory of buffered sources; 0: no limit.",
			func() float64 { return float64(s.MaxSourceMemory) }),
		gauge("requests_in_flight", "Requests in progress.", func() float64 { return float64(s.Requests()) }),
		counter("decodes_shared_total", "Decodes that served several pictures.",
			func() uint64 { return s.Coalescer.Stats().Decodes }),
		counter("decodes_shared_pictures_total", "Pictures that were made of them.",
			func() uint64 { return s.Coalescer.Stats().Results }),
		counter("decodes_again_total", "Decodes that began again for pictures that joined early.",
			func() uint64 { return s.Coalescer.Stats().Again }),
		gauge("workers", "Max pictures processed at once.", func() float64 { return float64(s.Workers) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if s.Results != nil {
		m.registry.MustRegister(newCacheCollector(s.Results))
	}
	if r, ok := s.Engine.(imaging.WorkerReporter); ok {
		m.registry.MustRegister(newWorkerCollector(r))
	}
	if r, ok := s.Engine.(imaging.MemoryReporter); ok {
		m.registry.MustRegister(
			gauge("libvips_bytes", "Memory that libvips has allocated for pixels.",
				func() float64 { return float64(r.Memory().Bytes) }),
			gauge("libvips_highwater_bytes", "Peak memory that libvips has allocated for pixels.",
				func() float64 { return float64(r.Memory().Highwater) }),
			gauge("libvips_allocations", "Blocks that libvips has allocated.",
				func() float64 { return float64(r.Memory().Allocations) }))
	}
	return m
}

// Connections adds the series of connections, which call stats at each scrape.
func (m *Metrics) Connections(stats func() (open int, refused uint64)) {
	m.registry.MustRegister(
		gauge("connections", "Open connections.", func() float64 { open, _ := stats(); return float64(open) }),
		counter("connections_refused_total", "Connections that a limit refused.",
			func() uint64 { _, refused := stats(); return refused }))
}

// prefix starts the name of every series.
const prefix = "safelight_"

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, labels)
}

func histograms(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: times}, labels)
}

func counter(name, help string, read func() uint64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: prefix + name, Help: help},
		func() float64 { return float64(read()) })
}

func gauge(name, help string, read func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: prefix + name, Help: help}, read)
}

// Request counts a request of a route, took excludes the time for sending.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// Cached counts an image request that the response cache answered, with 200 or 304. Nearly all of that time is spent
// on looking up the versions of the sources.
func (m *Metrics) Cached(status int, took time.Duration) {
	if status == fiber.StatusNotModified {
		m.unchanged.Inc()
	} else {
		m.cached.Inc()
	}
	m.images.Observe(took.Seconds())
	m.load.Observe(took.Seconds())
}

// Image is the route of images.
const Image = "image"

// Stage records how long the named stage took.
func (m *Metrics) Stage(name string, took time.Duration) { m.stageOf[name].Observe(took.Seconds()) }

// Rendered counts which route rendered a result, and records the stage times that the engine reports for it.
func (m *Metrics) Rendered(result *imaging.Result) {
	r, t := result.Route, result.Timing
	m.routes.WithLabelValues(r.Process(), r.Decode.String(), r.Scale.String(), r.Filter.String(), r.Encode.String()).
		Inc()
	if t == (imaging.Timing{}) {
		return
	}
	m.Stage(Process, t.Process)
	m.Stage(Encode, t.Encode)
	m.encode.WithLabelValues(string(result.Format)).Observe(t.Encode.Seconds())
	m.bytes.WithLabelValues("in").Add(float64(t.BytesRead))
}

// Sent counts the bytes of a write, and records how long it took.
func (m *Metrics) Sent(n int, took time.Duration) {
	m.sent.Add(float64(n))
	m.write.Observe(took.Seconds())
}

// minComparedEstimate is the smallest estimate that is compared with the run time: shorter times depend more on the
// machine's load than on the estimate.
const minComparedEstimate = 5 * time.Millisecond

// JobFinished compares the run time of a job with its estimate.
func (m *Metrics) JobFinished(estimated, took time.Duration) {
	if estimated >= minComparedEstimate {
		m.ratios.Observe(took.Seconds() / estimated.Seconds())
	}
}

// Failed counts a request that failed with that code.
func (m *Metrics) Failed(code fault.Code) { m.errors.WithLabelValues(string(code)).Inc() }

// Handle serves the metrics in the Prometheus text format.
func (m *Metrics) Handle(c *fiber.Ctx) error {
	families, err := m.registry.Gather()
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentType, string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(c.Response().BodyWriter(), f); err != nil {
			return err
		}
	}
	return nil
}
