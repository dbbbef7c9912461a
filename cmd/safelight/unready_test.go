package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestNoServerIsReady checks that deploy/Caddyfile passes every request, with its body, to a server at once although no
// server is ready. The server then reports what it cannot do. A second server was killed: no request goes there,
// whatever its path.
func TestNoServerIsReady(t *testing.T) {
	t.Parallel()
	checked := make(chan struct{}, 100)
	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
			checked <- struct{}{}
			return
		}
		w.Header().Set("Retry-After", "1")
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+string(body))
	}))
	t.Cleanup(unready.Close)
	base := balanced(t, freeAddress(t), strings.TrimPrefix(unready.URL, "http://"))
	for range 2 { // the first check may still be about to be noted when the second one arrives
		<-checked
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodGet} {
		for _, path := range []string{"/a", "/b", "/c", "/d"} {
			t.Run(method+path, func(t *testing.T) {
				t.Parallel()
				var took time.Duration
				for range 3 { // on a busy machine, an answer may be late for another reason
					began := time.Now()
					response, body := throughBalancer(t, method, base+path)
					if response.StatusCode != http.StatusOK || response.Header.Get("Retry-After") != "1" ||
						body != method+sentBody(method) {
						t.Errorf("%d %q, expected the answer of the server", response.StatusCode, body)
					}
					if took = time.Since(began); took < 4*time.Second {
						return
					}
				}
				t.Errorf("the balancer took %v, expected it not to wait for a ready server", took)
			})
		}
	}
}

// TestOneServerWasKilled checks that deploy/Caddyfile sends requests for a server that was just killed to the other one,
// before its next check finds out.
func TestOneServerWasKilled(t *testing.T) {
	t.Parallel()
	var servers [2]*httptest.Server
	for i := range servers {
		servers[i] = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = io.WriteString(w, r.Method+string(body))
		}))
		t.Cleanup(servers[i].Close)
	}
	base := balanced(t, servers[0].Listener.Addr().String(), servers[1].Listener.Addr().String())
	throughBalancer(t, http.MethodGet, base+"/before")
	servers[0].Close()
	for _, path := range []string{"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			response, body := throughBalancer(t, method, base+path)
			if response.StatusCode != http.StatusOK || body != method+sentBody(method) {
				t.Errorf("%s %s: %d %q, expected the answer of the other server", method, path,
					response.StatusCode, body)
			}
		}
	}
}

// TestNoServerRuns checks that a GET waits for a server behind deploy/Caddyfile, as when all are restarted at once, and
// that a change does not.
func TestNoServerRuns(t *testing.T) {
	t.Parallel()
	one, two := freeAddress(t), freeAddress(t)
	base := balanced(t, one, two)
	until := time.Now().Add(time.Minute) // the first checks are about to fail
	for response, _ := throughBalancer(t, http.MethodPost, base); response.StatusCode != http.StatusServiceUnavailable; {
		if time.Now().After(until) {
			t.Fatalf("%d, expected 503 once no server runs", response.StatusCode)
		}
		time.Sleep(50 * time.Millisecond)
		response, _ = throughBalancer(t, http.MethodPost, base)
	}
	started := time.AfterFunc(time.Second, func() {
		listener, err := net.Listen("tcp", two)
		if err != nil {
			t.Error(err)
			return
		}
		server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
		t.Cleanup(func() { _ = server.Close() })
		_ = server.Serve(listener)
	})
	defer started.Stop()
	if response, _ := throughBalancer(t, http.MethodGet, base); response.StatusCode != http.StatusOK {
		t.Errorf("%d, expected the answer of the server that started meanwhile", response.StatusCode)
	}
}

// balanced starts Caddy with deploy/Caddyfile before two servers and returns its URL.
func balanced(t *testing.T, one, two string) string {
	t.Helper()
	program, err := exec.LookPath("caddy")
	if err != nil {
		t.Skip("caddy is not installed: apt-get install caddy")
	}
	caddyfile, err := os.ReadFile("../../deploy/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	listen := freeAddress(t)
	runProxy(t, rollingProxies[1], program, string(caddyfile), listen, one+" "+two)
	return "http://" + listen
}

// sentBody is the body that throughBalancer sends with a method.
func sentBody(method string) string {
	if method == http.MethodGet {
		return ""
	}
	return "a body"
}

// throughBalancer sends a request and returns the response with its body.
func throughBalancer(t *testing.T, method, url string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(sentBody(method)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}
