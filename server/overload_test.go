package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

// TestOverload sends ten times the capacity: each response is a picture or a 503 with Retry-After, the other routes
// keep answering, and afterwards everything is as before.
func TestOverload(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Unsafe, c.Workers, c.Queue = true, 2, 2 })
	gate := make(chan struct{})
	s.engine.process = func(ctx context.Context, _ imaging.Source) error {
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return fault.New(fault.Canceled, "gone")
		}
	}
	client := &http.Client{}
	get := func(path string) (status int, retry string) {
		r, err := client.Get(s.url + path)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		r.Body.Close()
		return r.StatusCode, r.Header.Get("Retry-After")
	}
	var mu sync.Mutex
	counts := map[int]int{}
	var wait sync.WaitGroup
	full := make(chan struct{})
	for n := range 40 {
		wait.Go(func() {
			status, retry := get("/unsafe/" + string(rune('1'+n/10)) + string(rune('0'+n%10)) + "x20/color:red")
			mu.Lock()
			defer mu.Unlock()
			if counts[status]++; status == 503 && retry == "" {
				t.Error("503 without Retry-After")
			}
			if status == 503 && counts[503] == 36 {
				close(full)
			}
		})
	}
	<-full
	if status, _ := get("/healthz"); status != 200 {
		t.Errorf("/healthz is %d while the queue is full", status)
	}
	if status, _ := get("/readyz"); status != 503 {
		t.Errorf("/readyz is %d while the queue is full, want 503", status)
	}
	if m := s.do("GET", "/metrics", "").body; !strings.Contains(m, "\nsafelight_ready 0\n") {
		t.Error("the metrics say that the server is ready while the queue is full")
	}
	if status, _ := get("/api/auth/me"); status != 401 {
		t.Errorf("the API is %d for nobody while the queue is full, want 401", status)
	}
	close(gate)
	wait.Wait()
	if counts[200] != 4 || counts[503] != 36 {
		t.Errorf("answers by status: %v, want 4 of 200 and 36 of 503", counts)
	}
	if status, _ := get("/readyz"); status != 200 {
		t.Errorf("/readyz is %d afterwards", status)
	}
	if status, _ := get("/unsafe/77x7/color:red"); status != 200 {
		t.Errorf("a picture is %d afterwards", status)
	}
}
