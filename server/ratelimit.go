package server

import (
	"net/netip"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// rateLimiter is a token bucket for each address: it holds as many requests as are allowed a minute, and
// fills at that rate. It is kept as one moment, the one at which the bucket will be full again.
type rateLimiter struct {
	step   time.Duration // that one request costs
	burst  time.Duration // that a full bucket holds
	now    func() time.Time
	mu     sync.Mutex
	filled map[netip.Prefix]time.Time // absent: full
}

// maxAddresses is how many addresses are remembered, at about 80 bytes each.
const maxAddresses = 1 << 16

// newRateLimiter allows so many requests a minute; nil for 0, which is no limit.
func newRateLimiter(perMinute int) *rateLimiter {
	if perMinute <= 0 {
		return nil
	}
	return &rateLimiter{step: time.Minute / time.Duration(perMinute), burst: time.Minute, now: time.Now, filled: map[netip.Prefix]time.Time{}}
}

// allow counts a request of that address. It returns fault.RateLimited with RetryAfter set when there
// were too many; one that is refused does not count.
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
		l.forget(now)
	}
	l.filled[key] = full
	return nil
}

// forget makes room: of those whose buckets are full again, which loses nothing, and where that is not
// enough of others by chance. Who has that many addresses is not stopped by a limit on each.
func (l *rateLimiter) forget(now time.Time) {
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

// network is what counts as one address: of IPv6 the /64 that one customer gets.
func network(a netip.Addr) netip.Prefix {
	bits := 32
	if a = a.Unmap().WithZone(""); a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the bits fit the address
	return p
}

// limitAPI refuses requests to the API beyond the limit, in the shape of the route.
func (s *Server) limitAPI(c *fiber.Ctx) error {
	if !isAPI(c) {
		return c.Next()
	}
	c.Vary(fiber.HeaderAuthorization)
	if err := s.rates.allow(s.address(c)); err != nil {
		c.Context().SetConnectionClose() // its body is not read
		if c.Path() == "/api/graphql" {
			return s.failGraphQL(c, err)
		}
		return s.fail(c, err)
	}
	return c.Next()
}

// limitUnsigned refuses image requests that nobody signed beyond the limit: unsafe ones, /params, and
// those whose signature is wrong. Signed URLs are the operator's own, and are not counted.
func (s *Server) limitUnsigned(c *fiber.Ctx, path string, r imaging.Request) error {
	if s.rates == nil {
		return nil
	}
	if !r.Unsafe && !r.Params && r.Hash != "" && s.Signing.VerifyURL(imaging.SplitSigned(path)) {
		return nil
	}
	return s.rates.allow(s.address(c))
}
