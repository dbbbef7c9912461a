package server

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/safelight/safelight/fault"
)

// stage begins a stage of a request. end records its duration and, if tracing is on, ends its span.
func (s *Server) stage(ctx context.Context, name string) (_ context.Context, end func(error)) {
	start := time.Now()
	ctx, done := s.span(ctx, name)
	return ctx, func(err error) {
		s.metrics.Stage(name, time.Since(start))
		done(err)
	}
}

// span begins a span if tracing is on. end records the code of an error.
func (s *Server) span(ctx context.Context, name string) (_ context.Context, end func(error)) {
	if s.Tracer == nil {
		return ctx, func(error) {}
	}
	ctx, span := s.Tracer.Start(ctx, name)
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, string(fault.CodeOf(err))) // the message may contain private data
		}
		span.End()
	}
}

// trace begins the span of a request that arrived at start, as a child of the span in the traceparent header. end
// records the outcome.
func (s *Server) trace(ctx context.Context, c *fasthttp.RequestCtx, start time.Time) (
	_ context.Context, end func(route string, status int),
) {
	if s.Tracer == nil {
		return ctx, func(string, int) {}
	}
	ctx = propagation.TraceContext{}.Extract(ctx, headers{&c.Request.Header})
	method, path := string(c.Method()), loggedPath(string(c.URI().PathOriginal()))
	ctx, span := s.Tracer.Start(ctx, method, trace.WithTimestamp(start), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(
			attribute.String("http.request.method", method), attribute.String("url.path", path),
			attribute.String("safelight.request_id", fault.RequestID(ctx))))
	return ctx, func(route string, status int) {
		span.SetName(method + " " + route)
		span.SetAttributes(attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
		if status >= fiber.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// headers adapts the headers of a request to OpenTelemetry's TextMapCarrier.
type headers struct{ of *fasthttp.RequestHeader }

func (h headers) Get(key string) string { return string(h.of.Peek(key)) }

// Set does nothing: the request's headers are read-only.
func (h headers) Set(string, string) {}

// Keys returns the headers of W3C Trace Context.
func (h headers) Keys() []string { return []string{"traceparent", "tracestate"} }
