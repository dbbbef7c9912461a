package storagetest

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/storage"
)

// S3Variable is the environment variable with a bucket to which tests may write.
const S3Variable = "SAFELIGHT_TEST_S3"

// BehindProxy opens a new folder of the bucket that S3Variable names, and skips the test if it is not set. The proxy
// passes each request to do; next forwards it to the bucket.
func BehindProxy(t *testing.T, do func(w http.ResponseWriter, r *http.Request, next http.Handler)) storage.Store {
	t.Helper()
	address := os.Getenv(S3Variable)
	if address == "" {
		t.Skip(S3Variable + " names no bucket: make test starts a server and sets it")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := url.Parse(u.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	server := Proxy(t, backend, do)
	store, err := storage.Open(
		t.Context(),
		"s3://"+u.Host+"/proxy-"+rand.Text()+"?region=us-east-1&use_path_style=true&endpoint="+url.QueryEscape(server),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// Proxy starts a proxy in front of backend and returns its URL. It passes each request to do; next forwards it to
// backend.
func Proxy(t *testing.T, backend *url.URL, do func(w http.ResponseWriter, r *http.Request, next http.Handler)) string {
	// The Host header is kept, because it is signed. If the backend, or another test that ends, closes a connection
	// between two requests, the response is 502.
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{DisableKeepAlives: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = backend.Scheme, backend.Host, r.In.Host
		},
		ModifyResponse: func(r *http.Response) error {
			if to := r.Header.Get("Location"); to != "" { // the URL of an upload session
				r.Header.Set("Location", strings.Replace(to, backend.Host, r.Request.Host, 1))
			}
			return nil
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		// If a body is not in memory or has no known length, Go sends the header of the request first. The server may
		// respond to the header alone, for example for an empty object, and close the connection. Writing the body
		// then fails, which also gives a 502.
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		do(w, r, proxy)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Traffic is what a store sent to its bucket and received from it.
type Traffic struct {
	Kinds          map[string]int // requests by method; LIST for listings, and COPY for a PUT whose bytes the server has
	Requests       int            // of all kinds
	Sent, Received int64          // bytes of bodies, excluding those of listings
}

// Counter counts the requests that pass it. Its method Handle is for BehindProxy and Proxy. The zero value counts all
// requests.
type Counter struct {
	Concerns func(*http.Request) bool // nil: all requests

	mu      sync.Mutex
	traffic *Traffic // of what runs now; nil: nobody asks
}

// Handle passes a request on and counts it.
func (c *Counter) Handle(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if c.Concerns != nil && !c.Concerns(r) {
		next.ServeHTTP(w, r)
		return
	}
	kind, sent := r.Method, r.ContentLength
	switch {
	case r.URL.Query().Has("list-type"):
		kind = "LIST"
	case r.Header.Get("X-Amz-Copy-Source") != "":
		kind = "COPY"
	}
	c.mu.Lock()
	now := c.traffic
	if now != nil { // count before the response: a client that has read it may ask for the counts while the handler still runs
		now.Kinds[kind]++
		now.Requests++
		now.Sent += sent
	}
	c.mu.Unlock()
	if now != nil && kind != "LIST" {
		w = &countingWriter{w, func(bytes int) {
			c.mu.Lock()
			defer c.mu.Unlock()
			now.Received += int64(bytes)
		}}
	}
	next.ServeHTTP(w, r)
}

// Traffic returns the traffic while do runs. An error of do ends the test.
func (c *Counter) Traffic(t *testing.T, do func() error) Traffic {
	t.Helper()
	now := &Traffic{Kinds: map[string]int{}}
	set := func(traffic *Traffic) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.traffic = traffic
	}
	set(now)
	err := do()
	set(nil)
	if err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return *now
}

// countingWriter counts the bytes of a response's body.
type countingWriter struct {
	http.ResponseWriter
	count func(bytes int)
}

// Write implements io.Writer.
func (w *countingWriter) Write(p []byte) (int, error) {
	w.count(len(p)) // before they are there; then without those that are not
	n, err := w.ResponseWriter.Write(p)
	w.count(n - len(p))
	return n, err
}

// Unwrap returns the writer, for http.ResponseController.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Counted is a bucket behind a proxy that counts its requests. Make it with NewCounted.
type Counted struct {
	storage.Store
	Counter
}

// NewCounted opens a bucket as BehindProxy does.
func NewCounted(t *testing.T) *Counted {
	t.Helper()
	c := &Counted{}
	c.Store = BehindProxy(t, c.Handle)
	return c
}
