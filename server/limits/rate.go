// Package limits bounds what clients may ask for: requests a minute (rate.go), what they have open at once
// (concurrent.go), and the size of JSON (json.go).
package limits

import (
	"net/netip"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// Rate is a token bucket for each address: its capacity is the requests allowed per minute, and it refills at that
// rate. It is stored as the time at which the bucket will be full again. nil is no limit.
type Rate struct {
	step   time.Duration // the cost of one request
	burst  time.Duration // the time to fill an empty bucket
	now    func() time.Time
	mu     sync.Mutex
	filled map[netip.Prefix]time.Time // absent: full
}

// maxAddresses is how many addresses are remembered, at about 80 bytes each.
const maxAddresses = 1 << 16

// New allows perMinute requests a minute; it returns nil for 0, which is no limit.
func NewRate(perMinute int) *Rate {
	if perMinute <= 0 {
		return nil
	}
	return &Rate{step: time.Minute / time.Duration(perMinute), burst: time.Minute, now: time.Now,
		filled: map[netip.Prefix]time.Time{}}
}

// Allow counts a request from that address. It returns fault.RateLimited with RetryAfter set if there were too many;
// rejected requests do not count.
func (l *Rate) Allow(a netip.Addr) error {
	if l == nil || !a.IsValid() {
		return nil
	}
	key := Network(a)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	full, known := l.filled[key]
	if full.Before(now) {
		full = now
	}
	full = full.Add(l.step)
	if wait := full.Sub(now) - l.burst; wait > 0 {
		f := fault.New(fault.RateLimited, "too many requests from this address, try again later")
		f.RetryAfter = wait
		return f
	}
	if !known && len(l.filled) >= maxAddresses {
		l.evict(now)
	}
	l.filled[key] = full
	return nil
}

// evict removes the addresses whose buckets are full again, which loses nothing, and random others if that is not
// enough. A client with that many addresses is not stopped by a limit on each.
func (l *Rate) evict(now time.Time) {
	for key, full := range l.filled {
		if !full.After(now) {
			delete(l.filled, key)
		}
	}
	for key := range l.filled {
		if len(l.filled) < maxAddresses*7/8 {
			break
		}
		delete(l.filled, key)
	}
}

// Network returns the unit of the limit: the /64 of an IPv6 address, which one customer gets.
func Network(a netip.Addr) netip.Prefix {
	bits := 32
	if a = a.Unmap().WithZone(""); a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the bits fit the address
	return p
}
