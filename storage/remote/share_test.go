package remote

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
)

func TestShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, calls, release := newFlights(time.Minute), 0, make(chan struct{})
		w := func(ctx context.Context) (*Object, error) {
			calls++
			select {
			case <-release:
				return &Object{URL: "done"}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		first, cancel := context.WithCancel(t.Context())
		var left error
		go func() { _, left = s.do(first, "k", w) }()
		synctest.Wait()
		var others sync.WaitGroup
		for range 8 {
			others.Go(func() {
				if o, err := s.do(t.Context(), "k", w); err != nil || o.URL != "done" {
					t.Errorf("got %v, %v", o, err)
				}
			})
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !errors.Is(left, context.Canceled) {
			t.Errorf("the first got %v", left)
		}
		close(release)
		others.Wait()
		if calls != 1 || len(s.running) != 0 {
			t.Errorf("%d calls, %d running", calls, len(s.running))
		}
	})
}

// TestShareEnds holds that work ends by its own timeout, when the last caller leaves, and at close.
func TestShareEnds(t *testing.T) {
	wait := func(ctx context.Context) (*Object, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		s := newFlights(time.Minute)
		if _, err := s.do(t.Context(), "k", wait); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("timeout: %v", err)
		}
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _, _ = s.do(ctx, "k", wait) }()
			synctest.Wait()
			cancel()
			synctest.Wait() // and the bubble would not end with work still running
		}
		if len(s.running) != 0 {
			t.Error("left, but still running")
		}
		var closed error
		go func() { _, closed = s.do(t.Context(), "k", wait) }()
		synctest.Wait()
		s.close()
		synctest.Wait()
		if fault.CodeOf(closed) != fault.Unavailable {
			t.Errorf("close: %v", closed)
		}
		if _, err := s.do(t.Context(), "k", wait); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("after close: %v", err)
		}
	})
}

// TestShareOverlaps holds that work which was left, and ends late, takes no notice of its successor.
func TestShareOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, late, release := newFlights(time.Minute), make(chan struct{}), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = s.do(ctx, "k", func(context.Context) (*Object, error) {
			<-late
			return &Object{URL: "old"}, nil
		})
		w := func(context.Context) (*Object, error) {
			<-release
			return &Object{URL: "new"}, nil
		}
		go func() { _, _ = s.do(t.Context(), "k", w) }()
		synctest.Wait()
		close(late)
		synctest.Wait()
		if len(s.running) != 1 {
			t.Error("the old work ended the new one's sharing")
		}
		close(release)
		synctest.Wait()
	})
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
	for waiting(f) < callers {
		runtime.Gosched()
	}
	close(release)
	all.Wait()
	if n := s.requests.Load(); n != 1 {
		t.Errorf("%d requests, expected 1", n)
	}
}

func waiting(f *Fetcher) (n int) {
	f.flights.mu.Lock()
	defer f.flights.mu.Unlock()
	for _, fl := range f.flights.running {
		n += fl.waiting
	}
	return n
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
