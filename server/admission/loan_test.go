package admission

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// TestLoans: loans are in the budget of pictures and wait for each other, but not for pictures.
func TestLoans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Slots: 4, Queue: 4, MaxWait: time.Minute, MaxMemory: 1000})
		done, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 1000}})
		if err != nil {
			t.Fatal(err)
		}
		first, second, third := c.Lend(), c.Lend(), c.Lend()
		if err := first.Take(t.Context(), 200); err != nil {
			t.Errorf("beside a picture: %v", err)
		}
		if err := second.Grow(50); err != nil {
			t.Errorf("within the share of loans: %v", err)
		}
		if err := second.Grow(1); fault.CodeOf(err) != fault.Overloaded || fault.Of(err).RetryAfter == 0 {
			t.Errorf("beyond the share: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := third.Take(ctx, 10); fault.CodeOf(err) != fault.Canceled {
			t.Errorf("the client is gone: %v", err)
		}
		began := time.Now()
		if err := third.Take(t.Context(), 10); fault.CodeOf(err) != fault.Overloaded ||
			time.Since(began) != time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		go func() { time.Sleep(time.Second); first.Release() }()
		if err := third.Take(t.Context(), 10); err != nil {
			t.Errorf("after another is returned: %v", err)
		}
		done()
		if n := c.Stats().Memory; n != 60 {
			t.Errorf("%d bytes are lent, expected 60", n)
		}
		started := make(chan error)
		go func() {
			release, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 950}})
			if err == nil {
				defer release()
			}
			started <- err
		}()
		synctest.Wait()
		if err := <-started; err != nil { // the only picture does not wait for loans
			t.Error(err)
		}
		small, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 700}})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			release, err := c.Enter(t.Context(), Work{Client: "a", Cost: imaging.Cost{Memory: 130}})
			if err == nil {
				defer release()
			}
			started <- err
		}()
		synctest.Wait()
		if c.Stats().Waiting != 1 {
			t.Error("a picture has the memory of loans")
		}
		second.Release()
		if err := <-started; err != nil {
			t.Error(err)
		}
		small()
		third.Release()
		third.Release()
		synctest.Wait() // the second picture releases its memory after it has reported
		if n := c.Stats().Memory; n != 0 {
			t.Errorf("%d bytes are lent at the end", n)
		}
		if err := third.Take(t.Context(), 5000); err != nil {
			t.Errorf("the only loan: %v", err)
		}
		if err := third.Grow(5000); err != nil {
			t.Errorf("the only loan grows: %v", err)
		}
	})
}
