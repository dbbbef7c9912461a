package remote

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
)

// TestDownloadEnds checks that a download ends at Config.Timeout.
func TestDownloadEnds(t *testing.T) {
	silent := serve(t, "127.0.0.1", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	if _, err := fetcher(t, Config{Timeout: 50 * time.Millisecond}, silent).
		Fetch(t.Context(), silent.URL); fault.CodeOf(err) != fault.Timeout {
		t.Errorf("after the timeout: %v", err)
	}
}

func TestSharedDownload(t *testing.T) {
	release := make(chan struct{})
	s := serve(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		<-release
		picture("once")(w, r)
	})
	f := fetcher(t, Config{}, s)
	var all sync.WaitGroup
	const callers = 16
	for range callers {
		all.Go(func() {
			o, err := f.Fetch(t.Context(), s.URL)
			if err != nil || string(o.Data) != "once" {
				t.Errorf("got %v, %v", o, err)
				return
			}
			o.URL = "mine" // each has its own Object
		})
	}
	for f.downloads.Waiting() < callers {
		runtime.Gosched()
	}
	close(release)
	all.Wait()
	if n := s.requests.Load(); n != 1 {
		t.Errorf("%d requests, expected 1", n)
	}
}

// TestLastCallerLeaves sees the server lose its client.
func TestLastCallerLeaves(t *testing.T) {
	here, gone := make(chan struct{}), make(chan struct{})
	s := serve(t, "127.0.0.1", func(_ http.ResponseWriter, r *http.Request) {
		close(here)
		<-r.Context().Done()
		close(gone)
	})
	f := fetcher(t, Config{}, s)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-here; cancel() }()
	if _, err := f.Fetch(ctx, s.URL); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("got %v", err)
	}
	<-gone
}
