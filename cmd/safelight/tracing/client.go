// Package tracing sends spans to a collector.
package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Client sends spans to a collector: OTLP over HTTP, in protobuf. OpenTelemetry's own HTTP client depends on gRPC.
type Client struct {
	url    string
	header http.Header
	client *http.Client
}

var _ otlptrace.Client = (*Client)(nil)

const (
	traceTimeout  = 10 * time.Second // of one attempt
	maxTraceTries = 4
	traceBackoff  = time.Second // doubles after each attempt
)

// New returns the client of a collector, with the headers that OTEL_EXPORTER_OTLP_HEADERS and
// OTEL_EXPORTER_OTLP_TRACES_HEADERS name.
func New(endpoint string) *Client {
	c := &Client{url: endpoint + "/v1/traces", header: http.Header{}, client: &http.Client{Timeout: traceTimeout}}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		for pair := range strings.SplitSeq(os.Getenv(name), ",") {
			key, value, found := strings.Cut(pair, "=")
			if plain, err := url.PathUnescape(strings.TrimSpace(value)); found && err == nil {
				c.header.Set(strings.TrimSpace(key), plain)
			}
		}
	}
	c.header.Set("Content-Type", "application/x-protobuf")
	return c
}

// Start implements otlptrace.Client.
func (c *Client) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *Client) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. It retries if the collector is busy or unreachable.
func (c *Client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans}) // the same on the wire as an export request
	if err != nil {
		return fmt.Errorf("encoding traces: %w", err)
	}
	for try := 1; ; try++ {
		again, err := c.send(ctx, body)
		if err == nil || !again || try == maxTraceTries {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(traceBackoff << (try - 1)):
		}
	}
}

// send posts a body once, and reports whether a retry may succeed.
func (c *Client) send(ctx context.Context, body []byte) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.Header = c.header.Clone()
	response, err := c.client.Do(request)
	if err != nil {
		return true, err
	}
	response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	return again, fmt.Errorf("the collector answered %s", response.Status)
}
