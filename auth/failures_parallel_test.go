package auth_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// crowd makes concurrent logins in a synctest bubble.
type crowd struct {
	*testing.T
	failures *auth.Failures
	outcome  chan bool // ends a verification

	mu        sync.Mutex
	verifying int
	verified  int
	results   map[fault.Code]int // of the logins that returned; empty: without an error
}

func newCrowd(t *testing.T) *crowd {
	return &crowd{T: t, failures: auth.NewFailures(nil), outcome: make(chan bool), results: map[fault.Code]int{}}
}

// attempt starts a login with one name from one address.
func (c *crowd) attempt(ctx context.Context) {
	go func() {
		_, err := c.failures.Attempt(ctx, "192.0.2.1", "admin", func() (bool, error) {
			c.count(func() { c.verifying, c.verified = c.verifying+1, c.verified+1 })
			ok := <-c.outcome
			c.count(func() { c.verifying-- })
			return ok, nil
		})
		c.count(func() { c.results[fault.CodeOf(err)]++ })
	}()
	synctest.Wait()
}

func (c *crowd) count(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// end ends a verification.
func (c *crowd) end(ok bool) {
	c.outcome <- ok
	synctest.Wait()
}

// TestFailuresAtOnce makes 100 concurrent logins. Logins in progress may fail, so the others must wait for
// their results.
func TestFailuresAtOnce(t *testing.T) {
	for _, c := range []struct {
		what              string
		right             func(i int) bool // result of the ith verification that ends
		verified, refused int
	}{
		{"right logins", func(int) bool { return true }, 100, 0},
		{"wrong logins", func(int) bool { return false }, 10, 90},
		{"every other one wrong", func(i int) bool { return i%2 == 0 }, 20, 80},
		{"wrong ones after 50 right ones", func(i int) bool { return i < 50 }, 60, 40},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := newCrowd(t)
				for range 100 {
					all.attempt(t.Context())
				}
				for i := 0; all.verifying > 0; i++ {
					if all.verifying > 10 {
						t.Fatalf("%d logins in progress, expected at most 10", all.verifying)
					}
					all.end(c.right(i))
				}
				if all.verified != c.verified || all.results[""] != c.verified ||
					all.results[fault.RateLimited] != c.refused {
					t.Errorf("%d verified, results %v, expected %d verified and %d refused", all.verified, all.results,
						c.verified, c.refused)
				}
			})
		})
	}
}

// TestWaitingLogins checks how many logins of an address may wait, and that they stop with their context.
func TestWaitingLogins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newCrowd(t)
		hurried, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		canceled, hangUp := context.WithCancel(t.Context())
		for range 10 {
			all.attempt(t.Context())
		}
		for range 100 {
			all.attempt(hurried)
			all.attempt(canceled)
		}
		all.attempt(t.Context())
		if all.verifying != 10 || all.results[fault.RateLimited] != 1 {
			t.Errorf("%d in progress, results %v, expected that one of 201 may not wait", all.verifying, all.results)
		}
		hangUp()
		<-hurried.Done()
		synctest.Wait()
		if all.results[fault.Canceled] != 100 || all.results[fault.Timeout] != 100 {
			t.Errorf("results %v, expected 100 canceled and 100 out of time", all.results)
		}
		all.attempt(t.Context())
		for all.verifying > 0 {
			all.end(true)
		}
		if all.verified != 11 || all.results[""] != 11 {
			t.Errorf("%d verified, results %v, expected 11", all.verified, all.results)
		}
	})
}

// TestPanicOfLogin panics in every verification. Each must end and count as a failure.
func TestPanicOfLogin(t *testing.T) {
	f := auth.NewFailures((&clock{time.Unix(1000, 0)}).now)
	panics := 0
	for range 50 {
		func() {
			defer func() { _ = recover() }()
			_, _ = f.Attempt(t.Context(), "192.0.2.1", "admin", func() (bool, error) {
				panics++
				panic("verifying")
			})
		}()
	}
	if panics != 10 {
		t.Errorf("%d verifications, expected 10", panics)
	}
}
