package lazycontext

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestNew(t *testing.T) {
	type keyType struct{}
	parent := context.WithValue(t.Context(), keyType{}, "value")
	begun, stopped := 0, 0
	var hangUp context.CancelFunc
	begin := func(cancel context.CancelFunc) func() { begun++; hangUp = cancel; return func() { stopped++ } }

	ctx, stop := New(parent, time.Hour, begin)
	if ctx.Err() != nil || ctx.Value(keyType{}) != "value" || begun != 0 {
		t.Errorf("at first: %v, %v, begun %d times", ctx.Err(), ctx.Value(keyType{}), begun)
	}
	stop()
	stop()
	if !errors.Is(ctx.Err(), context.Canceled) || begun != 0 || stopped != 0 {
		t.Errorf("after stop: %v, begun %d times, stopped %d", ctx.Err(), begun, stopped)
	}
	if <-ctx.Done(); begun != 0 {
		t.Error("who waits after the end begins to watch")
	}

	ctx, stop = New(parent, time.Hour, begin)
	below, cancel := context.WithCancel(ctx)
	defer cancel()
	if begun != 1 || below.Value(keyType{}) != "value" {
		t.Errorf("begun %d times, value %v", begun, below.Value(keyType{}))
	}
	hangUp()
	if <-below.Done(); !errors.Is(below.Err(), context.Canceled) || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("after a hang-up: %v and %v", ctx.Err(), below.Err())
	}
	if stop(); stopped != 1 {
		t.Errorf("stopped %d times", stopped)
	}

	ctx, stop = New(parent, -time.Second, nil)
	defer stop()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		t.Errorf("too late: %v", ctx.Err())
	}
	if <-ctx.Done(); !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("too late, waited for: %v", ctx.Err())
	}

	over, end := context.WithCancel(parent)
	ctx, stop = New(over, time.Hour, nil)
	defer stop()
	if end(); !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("after the parent's end: %v", ctx.Err())
	}
	if d, ok := ctx.Deadline(); !ok || time.Until(d) > time.Hour {
		t.Errorf("deadline %v %v", d, ok)
	}
}
