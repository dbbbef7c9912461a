package admission

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// TestBorrow lends memory to work in the background: jobs and loans share one budget, and each waits for the other.
func TestBorrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 4, Queue: 4, MaxWait: time.Minute, MaxMemory: 100})
		if _, err := c.Borrow(t.Context(), 101); fault.CodeOf(err) != fault.TooLarge {
			t.Errorf("more than there is: %v", err)
		}
		release, err := c.Borrow(t.Context(), 60)
		if err != nil {
			t.Fatal(err)
		}
		started := make(chan func())
		go func() {
			done, err := c.Acquire(t.Context(), imaging.Cost{Memory: 50})
			if err != nil {
				t.Error(err)
			}
			started <- done
		}()
		synctest.Wait()
		select {
		case <-started:
			t.Error("a job started in borrowed memory")
		default:
		}
		release()
		release()
		done := <-started
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Borrow(ctx, 51); fault.CodeOf(err) != fault.Overloaded {
			t.Errorf("a loan in the memory of a job: %v", err)
		}
		go func() { time.Sleep(time.Second); done() }()
		second, err := c.Borrow(t.Context(), 51)
		if err != nil {
			t.Fatal(err)
		}
		second()
		if c.memory != 0 {
			t.Errorf("%d bytes are still counted", c.memory)
		}
	})
}
