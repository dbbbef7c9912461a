package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// traceFlush is the timeout for sending the last spans at shutdown.
const traceFlush = 5 * time.Second

// openTracing returns the tracer, which is nil if no collector is configured, and a function that sends the last spans.
// If the collector does not respond, spans are lost, but no request fails. The exporter also reads the standard OTEL_
// environment variables, such as OTEL_EXPORTER_OTLP_HEADERS.
func openTracing(ctx context.Context, s *Settings, log *slog.Logger) (trace.Tracer, func(), error) {
	if s.TraceEndpoint == "" {
		return nil, func() {}, nil
	}
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(s.TraceEndpoint+"/v1/traces"),
		// The intervals are short enough for retries of the last spans within traceFlush.
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Second,
			MaxInterval: traceFlush, MaxElapsedTime: time.Minute}))
	if err != nil {
		return nil, nil, fmt.Errorf("opening trace-endpoint: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces are not delivered", "error", err) }))
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(float64(s.TracePercent)/100))),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "safelight"), attribute.String("service.version", version))))
	stop := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceFlush)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces were not delivered", "error", err)
		}
	}
	return provider.Tracer("github.com/safelight/safelight/server"), stop, nil
}
