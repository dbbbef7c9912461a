package auth

import (
	"fmt"
	"testing"
	"time"
)

// TestFailuresAreBounded holds how many addresses and names are remembered, and that a success leaves nothing.
func TestFailuresAreBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	f := NewFailures(func() time.Time { return now })
	done, err := f.Attempt("192.0.2.1", "admin")
	if err != nil || len(f.addresses) != 1 || len(f.names) != 1 {
		t.Fatalf("%d addresses, %d names, %v", len(f.addresses), len(f.names), err)
	}
	if done(false); len(f.addresses) != 0 || len(f.names) != 0 {
		t.Errorf("after a success: %d addresses, %d names", len(f.addresses), len(f.names))
	}
	for i := range maxFailureKeys + 100 {
		if _, err := f.Attempt(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), "admin"); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.addresses) != maxFailureKeys || len(f.names) != maxFailureKeys {
		t.Errorf("%d addresses and %d names are remembered, expected %d", len(f.addresses), len(f.names), maxFailureKeys)
	}
}

// TestExpiredFailuresAreEvictedFirst fills the limiter with as many expired as live failures.
func TestExpiredFailuresAreEvictedFirst(t *testing.T) {
	start := time.Unix(1000, 0)
	f, m := NewFailures(nil), map[limitKey][]time.Time{}
	key := func(i int) limitKey { return limitKey{byte(i >> 16), byte(i >> 8), byte(i)} }
	for i := range maxFailureKeys {
		m[key(i)] = []time.Time{start.Add(time.Duration(i%2) * failureWindow)}
	}
	for i := range 500 {
		f.add(m, key(maxFailureKeys+i), start.Add(failureWindow))
	}
	for i := 1; i < maxFailureKeys; i += 2 {
		if len(m[key(i)]) == 0 {
			t.Fatal("a live failure was evicted while there were expired ones")
		}
	}
	if len(m) > maxFailureKeys {
		t.Errorf("%d failures are remembered", len(m))
	}
}
