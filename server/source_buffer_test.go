package server_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/storage"
)

// slowStore is a network storage that sends no bytes of objects named slow before the gate opens.
type slowStore struct {
	storage.Store
	gate    chan struct{}
	reading chan struct{} // closed on the first read
	once    *sync.Once
}

func newSlowStore(s storage.Store) slowStore {
	return slowStore{s, make(chan struct{}), make(chan struct{}), &sync.Once{}}
}

func (s slowStore) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	o, err := s.Store.Open(ctx, k)
	if err != nil {
		return nil, err
	}
	return slowObject{o, ctx, s, strings.Contains(string(k), "slow")}, nil
}

// slowObject is not local.
type slowObject struct {
	o     storage.Object
	ctx   context.Context
	store slowStore
	slow  bool
}

func (o slowObject) Read(p []byte) (int, error) {
	if o.slow {
		o.store.once.Do(func() { close(o.store.reading) })
		select {
		case <-o.store.gate:
		case <-o.ctx.Done():
			return 0, o.ctx.Err()
		}
	}
	return o.o.Read(p)
}

func (o slowObject) Seek(offset int64, whence int) (int64, error) { return o.o.Seek(offset, whence) }
func (o slowObject) Close() error                                 { return o.o.Close() }
func (o slowObject) Stat() storage.Stat                           { return o.o.Stat() }

func TestSlowSourceHoldsNoWorker(t *testing.T) {
	var slow slowStore
	s := newStageOver(t, func(st storage.Store) storage.Store { slow = newSlowStore(st); return slow },
		func(c *server.Config, _ *gallerytest.Config) { c.Workers, c.Queue = 1, 1 }, func(*server.Deps) {})
	var mu sync.Mutex
	got := map[string]string{}
	s.engine.process = func(_ context.Context, src imaging.Source) error {
		b, err := io.ReadAll(src.Reader)
		mu.Lock()
		defer mu.Unlock()
		if got[src.Name] = string(b); len(src.Layers) > 0 {
			layer, _ := io.ReadAll(src.Layers["fast.png"].Reader)
			got["layer"] = string(layer)
		}
		return err
	}
	s.store("slow.png", png+" slow")
	s.store("fast.png", png+" fast")
	answers := make(chan answer, 3)
	// more than workers and queue hold
	for _, path := range []string{"10x10/slow.png", "11x11/slow.png",
		"12x12/filters:watermark(fast.png,0,0,0)/slow.png"} {
		go func() { answers <- s.do("GET", s.signed(path), "") }()
	}
	<-slow.reading
	if a := s.do("GET", s.signed("10x10/fast.png"), ""); a.status != 200 {
		t.Errorf("another picture while a source is slow: %d %s", a.status, a.body)
	}
	if n := s.engine.processed.Load(); n != 1 {
		t.Errorf("%d pictures were worked on before their bytes came", n-1)
	}
	close(slow.gate)
	served := 0
	for range 3 {
		switch a := <-answers; a.status {
		case 200:
			served++
		case 503: // all three are buffered at once: one runs, one is queued
		default:
			t.Errorf("the slow picture: %d %s", a.status, a.body)
		}
	}
	if served < 2 || got["slow.png"] != png+" slow" || got["fast.png"] != png+" fast" {
		t.Errorf("%d served, the engine read %q", served, got)
	}
	if layer, ok := got["layer"]; ok && layer != png+" fast" {
		t.Errorf("the layer is %q", layer)
	}
}

func TestSlowSourceEnds(t *testing.T) {
	s := newStageOver(t, func(st storage.Store) storage.Store { return newSlowStore(st) },
		func(c *server.Config, _ *gallerytest.Config) { c.LoadTimeout = 100 * time.Millisecond }, func(*server.Deps) {})
	s.store("slow.png", png)
	if a := s.do("GET", s.signed("10x10/slow.png"), ""); a.status != 504 || a.code() != "TIMEOUT" {
		t.Errorf("a source that never comes: %d %s", a.status, a.body)
	}
	if n := s.engine.processed.Load(); n != 0 {
		t.Errorf("it was worked on %d times", n)
	}
}
