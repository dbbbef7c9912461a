package storage_test

import (
	"crypto/rand"
	"fmt"
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

// counted is a bucket behind a proxy that counts the requests by kind.
type counted struct {
	storage.Store
	mu    sync.Mutex
	kinds map[string]int
}

// newCounted opens a folder of the bucket that SAFELIGHT_TEST_S3 names.
func newCounted(t *testing.T) *counted {
	t.Helper()
	c := &counted{kinds: map[string]int{}}
	c.Store = behindProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		kind := r.Method
		if r.URL.Query().Has("list-type") {
			kind = "LIST"
		}
		c.mu.Lock()
		c.kinds[kind]++
		c.mu.Unlock()
		next.ServeHTTP(w, r)
	})
	return c
}

// behindProxy opens a new folder of the bucket that SAFELIGHT_TEST_S3 names. do gets each request, and next answers it.
func behindProxy(t *testing.T, do func(w http.ResponseWriter, r *http.Request, next http.Handler)) storage.Store {
	t.Helper()
	address := os.Getenv("SAFELIGHT_TEST_S3")
	if address == "" {
		t.Skip("SAFELIGHT_TEST_S3 names no bucket: make test starts a server and sets it")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := url.Parse(u.Query().Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	// the Host header stays: it is signed
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = backend.Scheme, backend.Host, r.In.Host
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { do(w, r, proxy) }))
	t.Cleanup(server.Close)
	store, err := storage.Open(t.Context(), "s3://"+u.Host+"/proxy-"+rand.Text()+"?region=us-east-1&use_path_style=true&endpoint="+url.QueryEscape(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// requests returns how many requests of each kind do makes.
func (c *counted) requests(t *testing.T, do func() error) map[string]int {
	t.Helper()
	c.mu.Lock()
	c.kinds = map[string]int{}
	c.mu.Unlock()
	if err := do(); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kinds
}

func total(kinds map[string]int) int {
	n := 0
	for _, k := range kinds {
		n += k
	}
	return n
}

func (c *counted) put(t *testing.T, key storage.Key) func() error {
	return func() error {
		_, err := c.Create(t.Context(), key, strings.NewReader(string(key)), storage.CreateOptions{})
		return err
	}
}

// TestS3Requests holds how many requests an operation costs.
func TestS3Requests(t *testing.T) {
	c := newCounted(t)
	const files = 1200
	var wg sync.WaitGroup
	for worker := range 10 {
		wg.Go(func() {
			for i := worker; i < files; i += 10 {
				if err := c.put(t, storage.Key(fmt.Sprintf("big/img-%04d.jpg", i)))(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := c.put(t, "other/file.jpg")(); err != nil {
		t.Fatal(err)
	}
	// what a server can is found out once
	if err := c.Delete(t.Context(), "other/file.jpg"); err != nil {
		t.Fatal(err)
	}
	list := func() error {
		n := 0
		for _, err := range storage.Each(t.Context(), c.Store, "big", storage.ListOptions{}) {
			if err != nil {
				return err
			}
			n++
		}
		if n != files {
			return fmt.Errorf("%d files are listed, expected %d", n, files)
		}
		return nil
	}
	for _, o := range []struct {
		name string
		max  int
		do   func() error
	}{
		{"list a folder", files/1000 + 1, list},
		{"list it page by page", files/100 + 2, func() error {
			for o := (storage.ListOptions{Limit: 100}); ; {
				p, err := c.List(t.Context(), "big", o)
				if o.PageToken = p.NextToken; err != nil || o.PageToken == "" {
					return err
				}
			}
		}},
		{"upload", 4, c.put(t, "big/new.jpg")},
		{"upload to a new folder", 6, c.put(t, "fresh/new.jpg")},
		{"move a file", 4, func() error { return c.Move(t.Context(), "big/new.jpg", "big/newer.jpg") }},
		{"copy a file", 4, func() error { return c.Copy(t.Context(), "big/newer.jpg", "big/copy.jpg") }},
		{"delete a file", 2, func() error { return c.Delete(t.Context(), "big/copy.jpg") }},
	} {
		got := c.requests(t, o.do)
		t.Logf("%s: %v", o.name, got)
		if total(got) > o.max {
			t.Errorf("%s makes %d requests, expected at most %d: %v", o.name, total(got), o.max, got)
		}
		if strings.HasPrefix(o.name, "list") && got["HEAD"] != 0 {
			t.Errorf("%s makes %d HEAD requests", o.name, got["HEAD"])
		}
	}
}
