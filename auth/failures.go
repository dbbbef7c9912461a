package auth

import (
	"crypto/sha256"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// The limits of failed logins per minute, and how many addresses and names are remembered.
const (
	maxFailuresOfName    = 10  // from one address for one username
	maxFailuresOfAddress = 100 // from one address for all usernames
	failureWindow        = time.Minute
	maxFailureKeys       = 50_000 // of each kind
)

// Failures limits failed logins: 10 a minute from one address for one username, and 100 from one address in all. An IPv6
// /64 counts as one address. Addresses never share a limit: an address without failures is never rejected, however many
// others fail. It is safe for concurrent use, and its memory is bounded.
type Failures struct {
	now func() time.Time

	mu        sync.Mutex
	names     map[limitKey][]time.Time
	addresses map[limitKey][]time.Time
}

// limitKey is the hash of a key: usernames come from callers and may be long.
type limitKey [16]byte

// NewFailures returns a limiter without failures; a nil now is time.Now.
func NewFailures(now func() time.Time) *Failures {
	if now == nil {
		now = time.Now
	}
	return &Failures{now: now, names: map[limitKey][]time.Time{}, addresses: map[limitKey][]time.Time{}}
}

// Attempt begins a login from an address, as text, for a username. It returns fault.RateLimited with RetryAfter after too
// many failures. Otherwise the caller must call done once with the outcome. Until then the attempt counts as failed, so
// that concurrent attempts cannot exceed the limit.
func (f *Failures) Attempt(address, name string) (done func(failed bool), err error) {
	network := networkOf(address)
	ofAddress, ofName := keyOf(network), keyOf(network+"\x00"+name)
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if err := errorOf(now, recent(f.names, ofName, now), maxFailuresOfName); err != nil {
		return nil, err
	}
	if err := errorOf(now, recent(f.addresses, ofAddress, now), maxFailuresOfAddress); err != nil {
		return nil, err
	}
	f.add(f.names, ofName, now)
	f.add(f.addresses, ofAddress, now)
	return func(failed bool) {
		if failed {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		remove(f.names, ofName, now)
		remove(f.addresses, ofAddress, now)
	}, nil
}

// networkOf returns what the limits count by: an IPv6 /64 or an IPv4 address; any other text is returned unchanged.
func networkOf(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	a = a.Unmap().WithZone("")
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return address
	}
	return p.String()
}

func keyOf(text string) limitKey {
	sum := sha256.Sum256([]byte(text))
	return limitKey(sum[:16])
}

// recent removes the failures before the window and returns the rest, oldest first.
func recent(m map[limitKey][]time.Time, key limitKey, now time.Time) []time.Time {
	times, known := m[key]
	for len(times) > 0 && now.Sub(times[0]) >= failureWindow {
		times = times[1:]
	}
	switch {
	case len(times) > 0:
		m[key] = times
	case known:
		delete(m, key)
	}
	return times
}

func errorOf(now time.Time, times []time.Time, limit int) error {
	if len(times) < limit {
		return nil
	}
	f := fault.New(fault.RateLimited, "too many failed logins, try again later")
	f.RetryAfter = failureWindow - now.Sub(times[0])
	return f
}

// add counts an attempt. If there is no space for a new key, it evicts another: rejecting the new one would let a few
// addresses lock out all others.
func (f *Failures) add(m map[limitKey][]time.Time, key limitKey, now time.Time) {
	if _, known := m[key]; !known && len(m) >= maxFailureKeys {
		looked := 0
		for old := range m {
			if len(recent(m, old, now)) == 0 || looked == 20 {
				delete(m, old)
				break
			}
			looked++
		}
	}
	m[key] = append(m[key], now)
}

func remove(m map[limitKey][]time.Time, key limitKey, at time.Time) {
	if i := slices.Index(m[key], at); i >= 0 {
		m[key] = slices.Delete(slices.Clone(m[key]), i, i+1)
	}
	if len(m[key]) == 0 {
		delete(m, key)
	}
}
