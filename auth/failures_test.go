package auth_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// fail counts n failed logins and returns how many were allowed.
func fail(f *auth.Failures, n int, address, name func(int) string) (through int) {
	for i := range n {
		_, _ = f.Attempt(context.Background(), address(i), name(i), func() (bool, error) {
			through++
			return false, nil
		})
	}
	return through
}

// right logs in with the correct password.
func right(f *auth.Failures, address, name string) error {
	ok, err := f.Attempt(context.Background(), address, name, func() (bool, error) { return true, nil })
	if err == nil && !ok {
		return fmt.Errorf("the right password was wrong")
	}
	return err
}

func same(text string) func(int) string { return func(int) string { return text } }

func numbered(form string) func(int) string {
	return func(i int) string { return fmt.Sprintf(form, i) }
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		what          string
		n             int
		address, name func(int) string
		through       int
	}{
		{"one name from one address", 50, same("192.0.2.1"), same("admin"), 10},
		{"many names from one address", 500, same("192.0.2.1"), numbered("name%d"), 100},
		{"one name from many addresses", 50, numbered("192.0.2.%d"), same("admin"), 50},
		{"one network of IPv6", 500, numbered("2001:db8::%x"), numbered("name%d"), 100},
		{"networks of IPv6", 500, numbered("2001:db8:0:%x::1"), numbered("name%d"), 500},
		{"IPv4 written as IPv6", 50, func(i int) string { return []string{"192.0.2.1", "::ffff:192.0.2.1"}[i%2] },
			same("admin"), 10},
		{"zones of an address", 50, numbered("fe80::1%%eth%d"), same("admin"), 10},
		{"no address", 50, same(""), same("admin"), 10},
	} {
		if got := fail(auth.NewFailures((&clock{time.Unix(1000, 0)}).now), c.n, c.address, c.name); got != c.through {
			t.Errorf("%s: %d of %d were let through, expected %d", c.what, got, c.n, c.through)
		}
	}
}

// TestSharedPasswords guesses the password of a link from many networks. After too many guesses, each network
// must have only one per minute, and somebody who has not failed must always be able to log in.
func TestSharedPasswords(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	f := auth.NewFailures(c.now)
	try := func(network int, ok bool) (verified bool, err error) {
		_, err = f.AttemptShared(t.Context(), fmt.Sprintf("192.0.2.%d", network), "share", func() (bool, error) {
			verified = true
			return ok, nil
		})
		return verified, err
	}
	guesses := func() (n int) {
		for range 10 {
			for network := range 100 {
				if verified, _ := try(network, false); verified {
					n++
				}
			}
		}
		return n
	}
	if n := guesses(); n != 100 {
		t.Errorf("%d guesses from 100 networks, expected one from each", n)
	}
	if verified, err := try(200, true); !verified || err != nil {
		t.Errorf("somebody else with the right password: %v", err)
	}
	_, err := try(1, true)
	if fault.CodeOf(err) != fault.RateLimited || fault.Of(err).RetryAfter > time.Minute {
		t.Errorf("a network that has guessed: %v", err)
	}
	c.t = c.t.Add(time.Minute)
	if verified, err := try(1, true); !verified || err != nil {
		t.Errorf("a minute later: %v", err)
	}
	for network := range 4 { // a few people who mistype the password
		for range 10 {
			if verified, _ := try(network, false); !verified {
				t.Error("a failure of few is refused")
			}
		}
	}
}

func TestFailuresEnd(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	f := auth.NewFailures(c.now)
	fail(f, 10, same("192.0.2.1"), same("admin"))
	c.t = c.t.Add(20 * time.Second)
	err := right(f, "192.0.2.1", "admin")
	if fault.CodeOf(err) != fault.RateLimited || fault.Of(err).RetryAfter != 40*time.Second {
		t.Errorf("after 20 s: %v, retry after %v", err, fault.Of(err).RetryAfter)
	}
	if err := right(f, "192.0.2.1", "someone"); err != nil {
		t.Errorf("another name: %v", err)
	}
	c.t = c.t.Add(40*time.Second - 1)
	if err := right(f, "192.0.2.1", "admin"); fault.CodeOf(err) != fault.RateLimited {
		t.Errorf("just before a minute: %v", err)
	}
	c.t = c.t.Add(1)
	if err := right(f, "192.0.2.1", "admin"); err != nil {
		t.Errorf("after a minute: %v", err)
	}
}

// TestFailuresCountOnlyFailures logs in often. A client with the correct password must never be rejected, and
// an error of the server must not count as a failure.
func TestFailuresCountOnlyFailures(t *testing.T) {
	f := auth.NewFailures((&clock{time.Unix(1000, 0)}).now)
	for i := range 500 {
		if err := right(f, "192.0.2.1", "admin"); err != nil {
			t.Fatalf("login %d: %v", i, err)
		}
		broken := fault.New(fault.Unavailable, "the database is busy")
		fails := func() (bool, error) { return false, broken }
		if _, err := f.Attempt(t.Context(), "192.0.2.1", "admin", fails); err != broken {
			t.Fatalf("login %d with an error: %v", i, err)
		}
	}
}

// TestFailuresOfOthers uses more addresses than the limiter can store. An address without failures must be
// allowed, and entries must expire.
func TestFailuresOfOthers(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	f := auth.NewFailures(c.now)
	address := func(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255) }
	if got := fail(f, 60_000, address, same("admin")); got != 60_000 {
		t.Errorf("%d of 60000 addresses were let through", got)
	}
	if err := right(f, "192.0.2.1", "admin"); err != nil {
		t.Errorf("an address that has not failed: %v", err)
	}
}
