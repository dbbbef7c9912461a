package server_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"testing"
)

// TestGraphQLCompression compares compressed responses with plain ones: of queries, of batches and of mutations.
// Small responses and event streams stay plain.
func TestGraphQLCompression(t *testing.T) {
	s := newStage(t, nil)
	const large = `{__schema{types{name kind description fields{name description}}}}`
	body, err := json.Marshal(map[string]string{"query": large})
	s.must(err)
	send := func(body, accept, coding string) answer {
		return s.do("POST", "/api/graphql", body, "Content-Type", "application/json", "Accept", accept,
			"Authorization", "Bearer "+s.tokens["admin"], "Accept-Encoding", coding)
	}
	plain := send(string(body), "*/*", "identity")
	if plain.status != 200 || len(plain.body) < 10_000 || plain.header.Get("Content-Encoding") != "" {
		t.Fatalf("%d with %d bytes, %q", plain.status, len(plain.body), plain.header.Get("Content-Encoding"))
	}
	if vary := strings.Join(plain.header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
		t.Errorf("Vary is %q, expected Accept-Encoding in it", vary)
	}

	for coding, compressed := range map[string]bool{
		"gzip": true, "gzip, deflate, br, zstd": true, "br;q=1, gzip;q=0.2": true,
		"gzip;q=0": false, "br": false, "": false,
	} {
		a := send(string(body), "*/*", coding)
		if got := a.header.Get("Content-Encoding") == "gzip"; got != compressed {
			t.Errorf("%q: Content-Encoding is %q", coding, a.header.Get("Content-Encoding"))
			continue
		}
		text := a.body
		if compressed {
			text = unzipped(t, a.body)
			if len(a.body)*3 > len(text) {
				t.Errorf("%q: %d bytes instead of %d", coding, len(a.body), len(text))
			}
		}
		if text != plain.body {
			t.Errorf("%q: another response of %d bytes, expected %d", coding, len(text), len(plain.body))
		}
	}

	if a := send(`{"query":"{__typename}"}`, "*/*", "gzip"); a.header.Get("Content-Encoding") != "" {
		t.Errorf("a response of %d bytes is sent as %q", len(a.body), a.header.Get("Content-Encoding"))
	}
	if a := send(string(body), "text/event-stream", "gzip"); a.header.Get("Content-Encoding") != "" ||
		!strings.HasPrefix(a.body, "event: next") {
		t.Errorf("a stream: %q, %.80s", a.header.Get("Content-Encoding"), a.body)
	}
}

// TestOnlyPostChanges sends a mutation by GET and HEAD, which change nothing.
func TestOnlyPostChanges(t *testing.T) {
	s := newStage(t, nil)
	mutation := url.QueryEscape(`mutation { createFolder(input: {path: "made"}) { folder { path } } }`)
	for _, method := range []string{"GET", "HEAD"} {
		a := s.do(method, "/api/graphql?query="+mutation, "", "Authorization", "Bearer "+s.tokens["admin"])
		if a.status != 405 || a.header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow %q", method, a.status, a.header.Get("Allow"))
		}
		if a := s.graphQL("admin", `{ folders { nodes { path } } }`, nil); strings.Contains(a.body, "made") {
			t.Errorf("%s made the folder", method)
		}
	}
}

func unzipped(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
