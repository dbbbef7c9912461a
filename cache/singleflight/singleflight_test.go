package singleflight

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func untilCanceled(ctx context.Context) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func TestFirstCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group[string, int]
		var runs, follows atomic.Int64
		gate := make(chan struct{})
		work := func(ctx context.Context) (int, error) {
			runs.Add(1)
			select {
			case <-gate:
				return 7, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		first, leave := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, shared, err := g.Do(first, "a", work); shared || !errors.Is(err, context.Canceled) {
				t.Errorf("the first caller: shared %v, %v", shared, err)
			}
		})
		synctest.Wait()
		for range 500 {
			callers.Go(func() {
				v, shared, err := g.Do(t.Context(), "a", work)
				if v != 7 || !shared || err != nil {
					t.Errorf("a follower: %d %v %v", v, shared, err)
				}
				follows.Add(1)
			})
		}
		synctest.Wait()
		if n := g.Waiting(); n != 501 {
			t.Errorf("%d callers wait", n)
		}
		leave()
		synctest.Wait()
		if n := g.Waiting(); n != 500 || len(g.calls) != 1 {
			t.Errorf("%d callers wait after one left", n)
		}
		close(gate)
		callers.Wait()
		if runs.Load() != 1 || follows.Load() != 500 || len(g.calls) != 0 {
			t.Errorf("%d runs for %d followers, %d left", runs.Load(), follows.Load(), len(g.calls))
		}
	})
}

// TestLastCallerLeaves relies on synctest: the bubble fails if the work is still running at its end.
func TestLastCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group[string, int]
		ctx, leave := context.WithCancel(t.Context())
		for range 2 {
			go func() { _, _, _ = g.Do(ctx, "a", untilCanceled) }()
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		if n := len(g.calls); n != 0 {
			t.Errorf("%d runs are left", n)
		}
	})
}

// TestLateRun: a run that was abandoned and ends late does not affect the next run of its key.
func TestLateRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Group[string, int]
		late, gate := make(chan struct{}), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, _ = g.Do(ctx, "a", func(context.Context) (int, error) { <-late; return 1, nil })
		var got int
		go func() {
			got, _, _ = g.Do(t.Context(), "a", func(context.Context) (int, error) { <-gate; return 2, nil })
		}()
		synctest.Wait()
		close(late)
		synctest.Wait()
		if len(g.calls) != 1 {
			t.Error("the late run removed its successor")
		}
		close(gate)
		synctest.Wait()
		if got != 2 {
			t.Errorf("got %d, want the result of the second run", got)
		}
	})
}

func TestContextOfWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var g Group[string, int]
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, 5))
		defer cancel()
		v, _, err := g.Do(ctx, "a", func(ctx context.Context) (int, error) {
			if ctx.Done() == nil || ctx.Err() != nil {
				t.Error("the work cannot be canceled, or was")
			}
			return ctx.Value(key{}).(int), nil
		})
		if v != 5 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})
}
