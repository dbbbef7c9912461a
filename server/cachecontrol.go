package server

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"
)

// oneYear is how long caches may keep immutable content; longer values have no meaning in RFC 9111.
const oneYear = 365 * 24 * time.Hour

// cacheHeaders sets the validators and Cache-Control, which are the same for 200, 206, 304 and HEAD.
func (s *Server) cacheHeaders(c *fiber.Ctx, p *picture, v validators) {
	v.set(c)
	c.Set(fiber.HeaderCacheControl, s.config.cacheControl(p, s.config.Now()))
}

// cacheControl returns who may cache the response and for how long.
func (c Config) cacheControl(p *picture, now time.Time) string {
	if p.private {
		return privateRevalidate
	}
	if p.sealed {
		return c.encryptedControl(p, now)
	}
	if p.outdated || p.unbounded { // anyone can make unlimited URLs for it, so no shared caching
		return "private, no-cache, must-revalidate, no-transform"
	}
	age := c.MaxAge
	if p.versioned {
		age = oneYear
	}
	if n, ok := p.number("max_age"); ok {
		age = time.Duration(n) * time.Second
	}
	if at, ok := p.expires(); ok {
		// A cache that may serve stale responses must not do so after the URL has expired.
		left := max(0, at.Sub(now))
		return fmt.Sprintf("public, max-age=%d, must-revalidate, no-transform", min(age, left)/time.Second)
	}
	value := fmt.Sprintf("public, max-age=%d, no-transform", max(0, age)/time.Second)
	if p.versioned {
		return value + ", immutable"
	}
	if stale := c.StaleWhileRevalidate; stale > 0 {
		value += fmt.Sprintf(", stale-while-revalidate=%d", stale/time.Second)
	}
	return value
}

// maxEncryptedAge is how long a browser may keep a picture whose path is encrypted. Shared caches must not keep it.
const maxEncryptedAge = time.Hour

func (c Config) encryptedControl(p *picture, now time.Time) string {
	age := min(c.MaxAge, maxEncryptedAge)
	if n, ok := p.number("max_age"); ok {
		age = min(time.Duration(n)*time.Second, maxEncryptedAge)
	}
	if at, ok := p.expires(); ok {
		age = min(age, max(0, at.Sub(now)))
	}
	return fmt.Sprintf("private, max-age=%d, must-revalidate, no-transform", age/time.Second)
}

// checkVersion compares the version in the URL with that of the picture, its ETag in the storage. A URL with layers or
// presets is never immutable, because it does not contain their versions.
func (p *picture) checkVersion(etag string) {
	current := p.version != "" && p.version == etag
	p.outdated = p.version != "" && !current
	p.versioned = current && p.request.Hash != "" && len(p.parts) <= 1 && !p.unpinned
}
