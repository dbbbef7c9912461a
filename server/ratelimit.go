package server

import (
	"net/netip"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/signing"
)

// rateLimiter is a token bucket for each address: its capacity is the requests allowed per minute, and it refills at that
// rate. It is stored as the time at which the bucket will be full again.
type rateLimiter struct {
	step   time.Duration // the cost of one request
	burst  time.Duration // the time to fill an empty bucket
	now    func() time.Time
	mu     sync.Mutex
	filled map[netip.Prefix]time.Time // absent: full
}

// maxAddresses is how many addresses are remembered, at about 80 bytes each.
const maxAddresses = 1 << 16

// newRateLimiter allows perMinute requests a minute; it returns nil for 0, which is no limit.
func newRateLimiter(perMinute int) *rateLimiter {
	if perMinute <= 0 {
		return nil
	}
	return &rateLimiter{step: time.Minute / time.Duration(perMinute), burst: time.Minute, now: time.Now, filled: map[netip.Prefix]time.Time{}}
}

// allow counts a request from that address. It returns fault.RateLimited with RetryAfter set if there were too many;
// rejected requests do not count.
func (l *rateLimiter) allow(a netip.Addr) error {
	if l == nil || !a.IsValid() {
		return nil
	}
	key := network(a)
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

// evict removes the addresses whose buckets are full again, which loses nothing, and random others if that is not enough. A
// client with that many addresses is not stopped by a limit on each.
func (l *rateLimiter) evict(now time.Time) {
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

// network returns the unit of the limit: the /64 of an IPv6 address, which one customer gets.
func network(a netip.Addr) netip.Prefix {
	bits := 32
	if a = a.Unmap().WithZone(""); a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the bits fit the address
	return p
}

// limitAPI rejects API requests over the limit, in the error format of the route.
func (s *Server) limitAPI(c *fiber.Ctx) error {
	if !isAPI(c) {
		return c.Next()
	}
	c.Vary(fiber.HeaderAuthorization)
	if err := s.rates.allow(s.address(c)); err != nil {
		c.Context().SetConnectionClose() // the body is not read
		if c.Path() == "/api/graphql" {
			return s.failGraphQL(c, err)
		}
		return s.fail(c, err)
	}
	return c.Next()
}

// limitUnsigned rejects unsigned image requests over the limit: /unsafe, /params, and URLs that their signature does not allow.
// Signed URLs come from the operator's own pages and are not counted.
func (s *Server) limitUnsigned(c *fiber.Ctx, a *signing.Address) error {
	if s.rates == nil || !a.Unsafe && !a.Params && a.Denied == nil {
		return nil
	}
	return s.rates.allow(s.address(c))
}
