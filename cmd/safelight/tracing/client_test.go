package tracing

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TestTraceClient sends spans to a collector as OTLP over HTTP describes it.
func TestTraceClient(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20abc, x-tenant=7")
	var got tracepb.TracesData
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || proto.Unmarshal(body, &got) != nil {
			t.Errorf("the body cannot be read: %v", err)
		}
		if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" ||
			r.Header.Get("Authorization") != "Bearer abc" || r.Header.Get("X-Tenant") != "7" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	client := New(server.URL)
	spans := []*tracepb.ResourceSpans{{Resource: &resourcepb.Resource{Attributes: []*commonpb.KeyValue{{Key: "service.name"}}}}}
	if err := client.UploadTraces(t.Context(), spans); err != nil {
		t.Fatal(err)
	}
	if len(got.ResourceSpans) != 1 || got.ResourceSpans[0].Resource.Attributes[0].Key != "service.name" {
		t.Errorf("the collector got %v", &got)
	}
	for code, again := range map[int]bool{http.StatusBadRequest: false, http.StatusServiceUnavailable: true, http.StatusTooManyRequests: true} {
		status = code
		if retry, err := client.send(t.Context(), nil); err == nil || retry != again {
			t.Errorf("%d: try again %v, %v", code, retry, err)
		}
	}
}
