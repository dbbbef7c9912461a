package server_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

// timedEngine reports stage times and memory.
type timedEngine struct{ *fakeEngine }

func (e timedEngine) Process(
	ctx context.Context, src imaging.Source, ops imaging.Operations, l imaging.Limits,
) (*imaging.Result, error) {
	r, err := e.fakeEngine.Process(ctx, src, ops, l)
	if r != nil {
		r.Timing = imaging.Timing{Process: 20 * time.Millisecond, Encode: 30 * time.Millisecond, BytesRead: 1234}
	}
	return r, err
}

func (timedEngine) Memory() imaging.Memory {
	return imaging.Memory{Bytes: 5, Highwater: 7, Allocations: 1}
}

// Workers implements imaging.WorkerReporter.
func (timedEngine) Workers() imaging.WorkerStats {
	return imaging.WorkerStats{Lost: map[string]uint64{"crash": 1}}
}

// Ready implements imaging.WorkerReporter.
func (timedEngine) Ready() error { return nil }

// observed returns a stage with metrics of every kind.
func observed(t *testing.T) *stage {
	results, err := cache.New(cache.Config{MemoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = results.Close() })
	return newStageWith(t, nil, func(d *server.Deps) {
		d.Engine, d.Results = timedEngine{d.Engine.(*fakeEngine)}, results
		d.Version = "1.2.3"
		d.Folders = func() map[string]string { return map[string]string{"data": t.TempDir()} }
		d.LastBackup = func() time.Time { return time.Unix(1700000000, 0) }
	})
}

func TestMetrics(t *testing.T) {
	s := observed(t)
	s.store("a.png", png)
	if a := s.do("GET", s.signed("10x10/a.png"), ""); a.status != 200 {
		t.Fatal(a.status, a.body)
	}
	if a := s.do("GET", "/wrong/10x10/a.png", ""); a.status != 403 {
		t.Fatal(a.status, a.body)
	}
	m := s.do("GET", "/metrics", "").body
	for _, want := range []string{
		`safelight_requests_total{route="image",status="200"} 1`,
		`safelight_requests_total{route="image",status="403"} 1`,
		`safelight_errors_total{code="SIGNATURE_MISMATCH"} 1`,
		`safelight_errors_total{code="OVERLOADED"} 0`,
		`safelight_stage_seconds_count{stage="load"} 1`,
		`safelight_stage_seconds_count{stage="queue"} 1`,
		`safelight_stage_seconds_sum{stage="process"} 0.02`,
		`safelight_stage_seconds_sum{stage="encode"} 0.03`,
		`safelight_encode_seconds_count{format="webp"} 1`,
		`safelight_bytes_total{direction="in"} 1234`,
		`safelight_cache_hits_total{tier="memory"} 0`, "safelight_cache_misses_total 1",
		"safelight_libvips_bytes 5", "safelight_libvips_highwater_bytes 7", "safelight_libvips_allocations 1",
		"safelight_workers_busy 0", "safelight_queue_depth 0", "safelight_queue_backlog_seconds 0",
		"safelight_work_admitted_total 1",
		`safelight_work_refused_total{reason="full"} 0`, "safelight_work_memory_bytes 0",
		"safelight_source_memory_bytes 0", "safelight_work_estimate_ratio_count 0",
		"safelight_ready 1", "safelight_backup_timestamp_seconds 1.7e+09",
	} {
		if !strings.Contains(m, want+"\n") {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if !regexp.MustCompile(`safelight_bytes_total\{direction="out"\} [1-9]`).MatchString(m) ||
		!strings.Contains(m, `safelight_stage_seconds_count{stage="write"}`) {
		t.Error("what was sent is not counted")
	}
}

// notOnDashboard are series for a closer look.
const notOnDashboard = `safelight_cache_entries safelight_cache_stored_total safelight_cache_waiting safelight_libvips_allocations
	safelight_libvips_highwater_bytes safelight_build_info safelight_disk_size_bytes safelight_worker_started_total safelight_worker_retired_total`

// TestDashboard compares the Grafana dashboard with the exported series.
func TestDashboard(t *testing.T) {
	s := observed(t)
	s.store("a.png", png)
	s.do("GET", s.signed("10x10/a.png"), "")
	m := s.do("GET", "/metrics", "").body
	file, err := os.ReadFile("../deploy/grafana/safelight.json")
	s.must(err)
	var board struct {
		Title  string
		Panels []struct {
			Title   string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ Expr string }
		}
	}
	s.must(json.Unmarshal(file, &board))
	if board.Title == "" || len(board.Panels) < 10 {
		t.Fatalf("%q has %d panels", board.Title, len(board.Panels))
	}
	shown := map[string]bool{}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`\b(safelight|process|go)_[a-z_]+`).FindAllString(target.Expr, -1) {
				shown[strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"),
					"_count")] = true
				if !strings.Contains(m, "\n"+name+"{") && !strings.Contains(m, "\n"+name+" ") {
					t.Errorf("panel %q asks for %s, which is not served", p.Title, name)
				}
			}
		}
	}
	docs, err := os.ReadFile("../docs/reference/observability.md")
	s.must(err)
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (safelight_[a-z_]+) `).FindAllStringSubmatch(m, -1) {
		if !strings.Contains(string(docs), "`"+line[1]) {
			t.Errorf("docs/reference/observability.md does not tell of %s", line[1])
		}
		if !shown[line[1]] && !strings.Contains(notOnDashboard, line[1]) {
			t.Errorf("the dashboard does not show %s", line[1])
		}
		delete(shown, line[1])
	}
	for name := range shown {
		if strings.HasPrefix(name, "safelight_") {
			t.Errorf("the dashboard shows %s, which is not served", name)
		}
	}
}

func TestTraces(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	s := newStageWith(t, nil, func(d *server.Deps) { d.Tracer = provider.Tracer("test") })
	s.store("a.png", png)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	s.do("GET", s.signed("10x10/a.png")+"?token=hidden", "", "Traceparent", parent)
	s.do("GET", s.signed("10x10/a.png"), "", "Traceparent", parent)
	s.do("GET", s.signed("10x10/missing.png"), "", "Traceparent", parent)
	var names []string
	for _, span := range spans.Ended() {
		if span.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
			continue // the stage's own logins
		}
		names = append(names, span.Name())
		for _, a := range span.Attributes() {
			if strings.Contains(a.Value.String(), "hidden") {
				t.Errorf("span %s bears the query string: %s", span.Name(), a.Value.String())
			}
		}
		if span.Name() == "GET image" && !slices.Contains(span.Attributes(), attribute.String("http.route", "image")) {
			t.Errorf("the request's span has %v", span.Attributes())
		}
	}
	for _, want := range []string{"GET image", "load", "queue", "engine"} {
		if !slices.Contains(names, want) {
			t.Errorf("no span %s among %v", want, names)
		}
	}
}

func TestRequestLines(t *testing.T) {
	s := newStage(t, nil)
	s.do(
		"GET", "/healthz?token=hidden-thing", "", "Authorization", "Bearer hidden-thing", "X-Request-Id",
		"line-of-the-test",
	)
	var lines []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "line-of-the-test") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "status=200") || !strings.Contains(lines[0], "path=/healthz ") ||
		!regexp.MustCompile(` ms=[0-9.]+ `).MatchString(lines[0]) {
		t.Errorf("one line was expected: %q", lines)
	}
	if strings.Contains(s.log.String(), "hidden-thing") {
		t.Error("the log holds a token")
	}
}
