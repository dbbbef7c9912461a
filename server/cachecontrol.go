package server

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"
)

// oneYear is how long caches may keep what never changes; RFC 9111 knows no longer.
const oneYear = 365 * 24 * time.Hour

// cacheHeaders sets what caches go by; it is the same on 200, 206, 304 and HEAD.
func (s *Server) cacheHeaders(c *fiber.Ctx, p *picture, v validators) {
	v.set(c)
	c.Set(fiber.HeaderCacheControl, s.cacheControl(p, s.config.Now()))
}

// cacheControl says who may keep the answer for how long.
func (s *Server) cacheControl(p *picture, now time.Time) string {
	if p.private {
		return "private, no-cache"
	}
	age := s.config.MaxAge
	if p.versioned {
		age = oneYear
	}
	if n, ok := p.number("max_age"); ok {
		age = time.Duration(n) * time.Second
	}
	if ms, ok := p.number("expire"); ok {
		// not even a cache that is allowed to serve stale answers may do so past that moment
		left := max(0, time.UnixMilli(ms).Sub(now))
		return fmt.Sprintf("public, max-age=%d, must-revalidate, no-transform", min(age, left)/time.Second)
	}
	value := fmt.Sprintf("public, max-age=%d, no-transform", max(0, age)/time.Second)
	if p.versioned {
		return value + ", immutable"
	}
	if stale := s.config.StaleWhileRevalidate; stale > 0 {
		value += fmt.Sprintf(", stale-while-revalidate=%d", stale/time.Second)
	}
	return value
}
