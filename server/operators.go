package server

import (
	"crypto/subtle"
	"net/netip"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/connection"
)

// guardMetrics passes requests with Config.MetricsToken, and requests from Config.MetricsAllow. If neither is set, it
// passes requests from this machine and from private networks.
func (s *Server) guardMetrics(c *fiber.Ctx) error {
	token := s.config.MetricsToken
	if token != "" && subtle.ConstantTimeCompare([]byte(bearerToken(c)), []byte(token)) != 1 {
		return fault.New(fault.Unauthenticated,
			"the metrics need a token, expected Authorization: Bearer with the value of the setting metrics-token")
	}
	if (token == "" || len(s.config.MetricsAllow) > 0) && !s.mayScrape(c) {
		return fault.New(fault.Forbidden,
			"this address may not read the metrics, expected one in the setting metrics-allow "+
				"(default: private networks), or the setting metrics-token")
	}
	return c.Next()
}

// mayScrape reports whether the address of the client may read the metrics. Requests that an untrusted proxy forwards
// are refused, because they may come from anywhere.
func (s *Server) mayScrape(c *fiber.Ctx) bool {
	if c.Get(fiber.HeaderXForwardedFor) != "" && !s.config.trusts(connection.Peer(c.Context())) {
		return false
	}
	address := s.address(c)
	if allow := s.config.MetricsAllow; len(allow) > 0 {
		return slices.ContainsFunc(allow, func(p netip.Prefix) bool { return p.Contains(address) })
	}
	return address.IsLoopback() || address.IsPrivate() || address.IsLinkLocalUnicast()
}

// guardSchema passes requests for the schema: with Config.PublicSchema all of them, else those with a token.
func (s *Server) guardSchema() fiber.Handler {
	strict := s.guard()
	return func(c *fiber.Ctx) error {
		if s.config.PublicSchema {
			return c.Next()
		}
		c.Vary(fiber.HeaderAuthorization)
		return strict(c)
	}
}
