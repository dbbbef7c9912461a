package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestNoServerIsReady checks that deploy/Caddyfile passes every request to a server although none is ready: what
// changes something at once, with its body, and what only reads after it has waited for a server to become ready. The
// server then says itself what it cannot do. Another server was killed: no request goes there, whatever its path.
func TestNoServerIsReady(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("caddy")
	if err != nil {
		t.Skip("caddy is not installed: apt-get install caddy")
	}
	caddyfile, err := os.ReadFile("../../deploy/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
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
	listen, killed := freeAddress(t), freeAddress(t)
	servers := killed + " " + strings.TrimPrefix(unready.URL, "http://")
	log, started := tryProxy(t, rollingProxies[1], program, string(caddyfile), listen, servers)
	if !started {
		t.Fatal(log)
	}
	for range 2 { // the first check may still be about to be noted when the second one arrives
		<-checked
	}
	for method, sent := range map[string]string{
		http.MethodPost:  "a body",
		http.MethodPut:   "a body",
		http.MethodPatch: "a body",
		http.MethodGet:   "",
	} {
		for _, path := range []string{"/a", "/b", "/c", "/d"} {
			t.Run(method+path, func(t *testing.T) {
				t.Parallel()
				request, err := http.NewRequestWithContext(
					t.Context(), method, "http://"+listen+path, strings.NewReader(sent),
				)
				if err != nil {
					t.Fatal(err)
				}
				response, err := (&http.Client{Timeout: time.Minute}).Do(request)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				body, err := io.ReadAll(response.Body)
				if err != nil || response.StatusCode != http.StatusOK || string(body) != method+sent ||
					response.Header.Get("Retry-After") != "1" {
					t.Errorf("%d %q %v, expected the answer of the server", response.StatusCode, body, err)
				}
			})
		}
	}
}
