package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TestTracing sends a span to a collector that is busy at first, with the headers of the environment.
func TestTracing(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20abc, x-tenant=7")
	var tries atomic.Int32
	var got tracepb.TracesData // the same on the wire as an export request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || proto.Unmarshal(body, &got) != nil {
			t.Errorf("the body cannot be read: %v", err)
		}
		if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" ||
			r.Header.Get("Authorization") != "Bearer abc" || r.Header.Get("X-Tenant") != "7" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
	}))
	defer server.Close()

	s := &Settings{TraceEndpoint: server.URL, TracePercent: 100}
	tracer, flush, err := openTracing(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), "a request")
	span.End()
	flush()

	if tries.Load() != 2 || len(got.ResourceSpans) != 1 {
		t.Fatalf("%d tries, the collector got %v", tries.Load(), &got)
	}
	if name := got.ResourceSpans[0].ScopeSpans[0].Spans[0].Name; name != "a request" {
		t.Errorf("the span is called %q", name)
	}
	if key := got.ResourceSpans[0].Resource.Attributes[0].Key; key != "service.name" {
		t.Errorf("the resource begins with %q", key)
	}
}
