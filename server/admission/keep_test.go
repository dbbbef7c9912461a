package admission

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/imaging"
)

// TestKeep: what waiting jobs share is a quarter of the memory at most, and does not keep the only job from running.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 4, Queue: 4, MaxMemory: 100})
		first, ok := c.Keep(20)
		if !ok || c.Stats().Memory != 20 {
			t.Fatalf("20 of 100 are not kept: %+v", c.Stats())
		}
		if _, ok := c.Keep(6); ok {
			t.Error("26 of 100 are kept")
		}
		release, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 95}})
		if err != nil {
			t.Fatalf("the only job: %v", err)
		}
		if _, ok := c.Keep(1); ok {
			t.Error("116 of 100 are taken")
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			release, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 13}})
			if err != nil {
				t.Error(err)
				return
			}
			release()
		}()
		synctest.Wait()
		if c.Stats().Waiting != 1 {
			t.Errorf("another job runs beside what is kept: %+v", c.Stats())
		}
		release()
		<-done
		first()
		first()
		if c.Stats().Memory != 0 {
			t.Errorf("%d bytes are left", c.Stats().Memory)
		}
	})
}

// TestWorkThatArrivedBefore: work that has waited before passes what came after it, and is not rejected; work that is
// taken leaves the queue.
func TestWorkThatArrivedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 1, Queue: 1})
		arrived := time.Now()
		release, _ := c.Enter(t.Context(), Work{Client: "a"})
		time.Sleep(time.Second)
		var order []string
		var wait sync.WaitGroup
		enter := func(name string, w Work) {
			wait.Go(func() {
				release, err := c.Enter(t.Context(), w)
				if err != nil {
					order = append(order, err.Error())
					return
				}
				order = append(order, name)
				release()
			})
			synctest.Wait()
		}
		enter("later", Work{Client: "a"})
		enter("earlier", Work{Client: "a", Arrived: arrived})
		taken := make(chan struct{})
		enter("taken", Work{Client: "a", Arrived: arrived, Taken: taken})
		close(taken)
		synctest.Wait()
		release()
		wait.Wait()
		if want := []string{ErrTaken.Error(), "earlier", "later"}; !slices.Equal(order, want) ||
			c.Stats().Canceled != 0 {
			t.Errorf("%q, want %q; %+v", order, want, c.Stats())
		}
	})
}
