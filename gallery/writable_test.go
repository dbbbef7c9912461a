package gallery

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/storage"
)

// refusing is a storage whose writes return an error.
type refusing struct {
	storage.Store
	hangs bool

	mu    sync.Mutex
	err   error
	count int
}

func (r *refusing) becomes(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

func (r *refusing) tries() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

func (r *refusing) Create(
	ctx context.Context,
	_ storage.Key,
	_ io.Reader,
	_ storage.CreateOptions,
) (storage.Stat, error) {
	if r.hangs {
		<-ctx.Done()
		return storage.Stat{}, ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	return storage.Stat{}, r.err
}

// TestStorageWrites uses a storage that accepts writes, refuses them, has a network problem and accepts them
// again. All goroutines must have ended when run returns, because otherwise the synctest bubble would not
// end.
func TestStorageWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		store := &refusing{}
		w := storageWrites{
			log: slog.New(slog.NewTextHandler(&log, nil)),
			try: func(ctx context.Context) error { return storage.CheckWrite(ctx, store) },
		}
		ready := func(want bool, when string) {
			t.Helper()
			synctest.Wait()
			if err := w.err(access.All(t.Context())); (err == nil) != want ||
				err != nil && fault.CodeOf(err) != fault.Unavailable {
				t.Errorf("%s: %v, expected ready %v", when, err, want)
			}
		}
		tried := func(want int, when string) {
			t.Helper()
			synctest.Wait()
			if n := store.tries(); n != want {
				t.Errorf("%s: %d tries, expected %d", when, n, want)
			}
		}
		ready(true, "before the start")
		stop := w.start(access.All(t.Context()))
		for range 100 {
			ready(true, "at the start")
		}
		tried(1, "at the start")
		store.becomes(syscall.EROFS)
		time.Sleep(59 * time.Second)
		tried(1, "within the first minute")
		ready(true, "within the first minute")
		time.Sleep(time.Second)
		tried(2, "after a minute")
		ready(false, "when the storage is read-only")
		time.Sleep(10 * time.Second)
		ready(false, "ten seconds later")
		store.becomes(syscall.ECONNRESET)
		time.Sleep(time.Minute)
		ready(false, "while the network fails")
		store.becomes(nil)
		time.Sleep(10 * time.Second)
		ready(true, "when it takes writes again")
		store.becomes(syscall.ECONNRESET)
		time.Sleep(2 * time.Minute)
		ready(true, "while the network fails")
		for text, want := range map[string]int{"the storage refuses writes": 1, "mount it for writing": 1,
			"accepts writes again": 1, "level=": 2} {
			if got := strings.Count(log.String(), text); got != want {
				t.Errorf("the log has %q %d times, expected %d:\n%s", text, got, want, log.String())
			}
		}
		stop()
	})
}

// TestStorageWritesHang checks that Ready waits at most 3 s at the start, and that a single test is in
// progress at a time, which ends with run.
func TestStorageWritesHang(t *testing.T) {
	for name, stubborn := range map[string]bool{"a bucket": false, "a file system": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &refusing{hangs: true}
				var running atomic.Int64
				free := make(chan struct{}) // an operation that hangs in the kernel does not end with its context
				w := storageWrites{log: slog.New(slog.DiscardHandler), try: func(ctx context.Context) error {
					if n := running.Add(1); n > 1 {
						t.Errorf("%d tries at once", n)
					}
					defer running.Add(-1)
					if stubborn {
						<-free
						return nil
					}
					return storage.CheckWrite(ctx, store)
				}}
				stop := w.start(access.All(t.Context()))
				synctest.Wait()
				for request, want := range []time.Duration{3 * time.Second, 0, 0} {
					began := time.Now()
					if err := w.err(access.All(t.Context())); err != nil || time.Since(began) != want {
						t.Errorf(
							"request %d: %v after %v, expected nothing after %v", request, err,
							time.Since(began), want,
						)
					}
				}
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				began := time.Now()
				stop()
				synctest.Wait()
				if took := time.Since(began); took > 3*time.Second || !stubborn && (took > 0 || running.Load() > 0) {
					t.Errorf("it ends after %v with %d tries under way", took, running.Load())
				}
				close(free)
			})
		})
	}
}

// TestFirstWrite checks that a server whose storage refuses writes is never ready, not even before the first
// test has ended.
func TestFirstWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := storageWrites{log: slog.New(slog.DiscardHandler), try: func(ctx context.Context) error {
			time.Sleep(time.Second)
			return storage.CheckWrite(ctx, &refusing{err: syscall.EACCES})
		}}
		ctx := access.All(t.Context())
		defer w.start(ctx)()
		if err := w.err(ctx); !storage.RefusesWrites(err) {
			t.Errorf("ready before the first try has ended: %v", err)
		}
	})
}
