// Package limits bounds what clients may request: requests a minute (rate.go), what they have open at once
// (concurrent.go), what they run at once (turns.go), and the size of JSON (json.go).
package limits

import (
	"net/netip"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// Rate is a token bucket for each address: its capacity is the requests allowed per minute, and it refills at that
// rate. For each address it stores when the bucket will be full again. A nil Rate has no limit.
type Rate struct {
	step   time.Duration // time that one request costs
	burst  time.Duration // time that an empty bucket takes to fill
	now    func() time.Time
	mu     sync.Mutex
	filled map[netip.Prefix]time.Time // absent: full
}

// maxAddresses is how many addresses are remembered, at about 80 bytes each.
const maxAddresses = 1 << 16

// NewRate allows perMinute requests a minute. It returns nil for 0, which is no limit.
func NewRate(perMinute int) *Rate {
	if perMinute <= 0 {
		return nil
	}
	return &Rate{step: time.Minute / time.Duration(perMinute), burst: time.Minute, now: time.Now,
		filled: map[netip.Prefix]time.Time{}}
}

// Allow counts a request from that address. It returns fault.RateLimited with RetryAfter set if there were too many;
// rejected requests are not counted.
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

// evict removes the addresses whose buckets are full again, which loses no information, and random others if that is
// not enough. A client with that many addresses cannot be stopped by a limit per address anyway.
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

// Network returns the unit of the limit: an IPv4 address, or the /64 of an IPv6 address, because one customer gets a
// /64.
func Network(a netip.Addr) netip.Prefix {
	bits := 32
	if a = a.Unmap().WithZone(""); a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // cannot fail: bits fits the address
	return p
}
