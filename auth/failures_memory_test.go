package auth

import (
	"fmt"
	"testing"
	"time"
)

// TestFailuresAreBounded checks the maximum number of addresses and names in memory, and that a success
// leaves none.
func TestFailuresAreBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	f := NewFailures(func() time.Time { return now })
	ok, err := f.Attempt(t.Context(), "192.0.2.1", "admin", func() (bool, error) {
		if len(f.addresses.of) != 1 || len(f.names.of) != 1 {
			t.Errorf("in progress: %d addresses, %d names", len(f.addresses.of), len(f.names.of))
		}
		return true, nil
	})
	if err != nil || !ok || len(f.addresses.of) != 0 || len(f.names.of) != 0 {
		t.Errorf("after a success: %d addresses, %d names, %v, %v", len(f.addresses.of), len(f.names.of), ok, err)
	}
	for i := range maxFailureKeys + 100 {
		key := keyOf(fmt.Sprint(i))
		if _, err := f.begin(t.Context(), key, key, nil); err != nil { // never ends
			t.Fatal(err)
		}
	}
	if len(f.addresses.of) != maxFailureKeys || len(f.names.of) != maxFailureKeys {
		t.Errorf("%d addresses and %d names are remembered, expected %d", len(f.addresses.of), len(f.names.of),
			maxFailureKeys)
	}
}

// TestFailuresOfOneAddressAreBounded tries names from an address that is being rejected. The names must not
// be stored.
func TestFailuresOfOneAddressAreBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	f := NewFailures(func() time.Time { return now })
	for i := range 500 {
		_, _ = f.Attempt(t.Context(), "192.0.2.1", fmt.Sprint(i), func() (bool, error) { return false, nil })
	}
	if len(f.names.of) != maxFailuresOfAddress {
		t.Errorf("%d names are remembered, expected %d", len(f.names.of), maxFailuresOfAddress)
	}
}

// TestEvictedAttempt ends a login whose tally was evicted in the meantime. Its failure must count.
func TestEvictedAttempt(t *testing.T) {
	now := time.Unix(1000, 0)
	f := NewFailures(func() time.Time { return now })
	key := keyOf("evicted")
	end, err := f.begin(t.Context(), key, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	delete(f.names.of, key)
	end(true)
	if n := f.names.of[key]; n == nil || len(n.failed) != 1 || n.inProgress != 0 {
		t.Errorf("%+v, expected one failure", n)
	}
}

// TestExpiredFailuresAreEvictedFirst fills the limiter with equal numbers of expired and current failures.
func TestExpiredFailuresAreEvictedFirst(t *testing.T) {
	start := time.Unix(1000, 0)
	m := newTallies(maxFailuresOfName)
	key := func(i int) limitKey { return limitKey{byte(i >> 16), byte(i >> 8), byte(i)} }
	for i := range maxFailureKeys {
		m.of[key(i)] = &tally{failed: []time.Time{start.Add(time.Duration(i%2) * failureWindow)}}
	}
	for i := range 500 {
		m.end(key(maxFailureKeys+i), &tally{inProgress: 1}, true, start.Add(failureWindow))
	}
	for i := 1; i < maxFailureKeys; i += 2 {
		if m.of[key(i)] == nil {
			t.Fatal("a live failure was evicted while there were expired ones")
		}
	}
	if len(m.of) > maxFailureKeys {
		t.Errorf("%d failures are remembered", len(m.of))
	}
}
