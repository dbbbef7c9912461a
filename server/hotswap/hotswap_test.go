package hotswap_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/server/hotswap"
)

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestReplace(t *testing.T) {
	v := hotswap.New("old")
	first := v.Hold()
	before := v.Replace("new")
	if before != first || !isClosed(first.Replaced()) || isClosed(first.Idle()) {
		t.Error("the old value is idle while it is held, or does not know that it was replaced")
	}
	if h := v.Hold(); h.Value != "new" || isClosed(h.Replaced()) {
		t.Errorf("the present value is %q", h.Value)
	}
	first.Again() // a stream goes on after its request
	first.Release()
	if isClosed(first.Idle()) {
		t.Error("the old value is idle while a stream uses it")
	}
	first.Release()
	if !isClosed(first.Idle()) {
		t.Error("the old value is not idle after its last user")
	}
	if unused := hotswap.New(1); !isClosed(unused.Replace(2).Idle()) {
		t.Error("an unused value is not idle")
	}
}

func TestContext(t *testing.T) {
	if hotswap.From[string](t.Context()) != nil {
		t.Error("a context without a value has one")
	}
	h := hotswap.New("x").Hold()
	if got := hotswap.From[string](context.WithoutCancel(h.With(t.Context()))); got != h {
		t.Errorf("the context carries %v", got)
	}
}

// TestRace replaces a value while others use it: an idle one is never returned. Run it with the race detector.
func TestRace(t *testing.T) {
	type store struct{ closed atomic.Bool }
	v := hotswap.New(&store{})
	var users, closers sync.WaitGroup
	for range 8 {
		users.Go(func() {
			for range 5000 {
				h := v.Hold()
				if h.Value.closed.Load() {
					t.Error("a closed store is in use")
				}
				h.Release()
			}
		})
	}
	for range 200 {
		old := v.Replace(&store{})
		closers.Go(func() {
			<-old.Idle()
			old.Value.closed.Store(true)
		})
	}
	users.Wait()
	closers.Wait()
}
