package server

import (
	"bytes"
	"context"
	_ "embed"
	"html"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
)

// healthy answers that the process lives.
func (s *Server) healthy(c *fiber.Ctx) error {
	return c.JSON(fiber.Map{"status": "ok", "version": s.Version})
}

// ready answers that database and storage can be used; 503 UNAVAILABLE when one cannot.
func (s *Server) ready(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), 5*time.Second)
	defer cancel()
	if err := s.Gallery.Ready(ctx); err != nil {
		return s.fail(c, err)
	}
	return c.JSON(fiber.Map{"status": "ok"})
}

// sdl answers with the GraphQL schema.
func (s *Server) sdl(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, "text/plain; charset=utf-8")
	return c.SendString(s.Schema)
}

//go:embed openapi.json
var openAPIDocument []byte

// openAPI answers with the description of the REST routes.
func (s *Server) openAPI(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(openAPIDocument)
}

//go:embed landing.html
var landingPage []byte

// landing answers with a page that says what this is.
func (s *Server) landing(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'")
	return c.Send(bytes.ReplaceAll(landingPage, []byte("{version}"), []byte(html.EscapeString(s.Version))))
}

// metrics are the figures for Prometheus.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(w *workers, active *atomic.Int64) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "safelight_requests_total", Help: "Requests by route and status."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "safelight_request_seconds", Help: "Time of requests by route.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12)}, []string{"route"}),
	}
	inFlight := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "safelight_requests_in_flight", Help: "Requests that are being answered."}, func() float64 { return float64(active.Load()) })
	queued := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "safelight_queue_depth", Help: "Pictures that wait for a worker."}, func() float64 { return float64(w.waiting.Load()) })
	busy := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "safelight_workers_busy", Help: "Pictures at work."}, func() float64 { return float64(len(w.slots)) })
	m.registry.MustRegister(m.requests, m.seconds, inFlight, queued, busy,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// handle answers in Prometheus' text format.
func (m *metrics) handle(c *fiber.Ctx) error {
	families, err := m.registry.Gather()
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(c.Response().BodyWriter(), f); err != nil {
			return err
		}
	}
	return nil
}
