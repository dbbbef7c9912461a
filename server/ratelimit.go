package server

import (
	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/server/limits"
	"github.com/safelight/safelight/signing"
)

// limitAPI rejects API requests over the rate limit, in the error format of the route.
func (s *Server) limitAPI(c *fiber.Ctx) error {
	if !isAPI(c) {
		return c.Next()
	}
	c.Vary(fiber.HeaderAuthorization)
	if err := s.rates.Allow(s.address(c)); err != nil {
		c.Context().SetConnectionClose() // the body stays unread
		if c.Path() == graphQLPath {
			return s.failGraphQL(c, err)
		}
		return err
	}
	return c.Next()
}

// limitUnsigned rejects unsigned image requests over the rate limit: /unsafe, /params, and URLs with a wrong signature.
// Signed URLs are not counted, because they come from the operator's own pages.
func (s *Server) limitUnsigned(c *fiber.Ctx, a *signing.ParsedURL) error {
	if !isCounted(s.rates, a) {
		return nil
	}
	return s.rates.Allow(s.address(c))
}

func isCounted(rates *limits.Rate, a *signing.ParsedURL) bool {
	return rates != nil && (a.Unsafe || a.Params || a.Denied != nil)
}
