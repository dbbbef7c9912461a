package server

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// The headers that fiber has no names for.
const (
	headerResourcePolicy = "Cross-Origin-Resource-Policy"
	headerTimingOrigin   = "Timing-Allow-Origin"
)

// exposed are the headers that scripts of other origins may read besides the few that they always may.
const exposed = "Accept-Ranges, Allow, Cache-Status, Content-Disposition, Content-Range, ETag, Location, Retry-After, " +
	"Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Offset, X-Request-Id, X-Warnings"

// preflightAge is how long browsers may remember what a preflight allowed; none keeps it longer than two hours.
const preflightAge = "7200"

// cors lets pages of the listed origins read answers, errors too. What depends on the origin says so in
// Vary, for those that are not listed as well.
func (s *Server) cors(c *fiber.Ctx) error {
	if len(s.config.Origins) == 0 {
		return c.Next()
	}
	origin, everyone := c.Get(fiber.HeaderOrigin), slices.Contains(s.config.Origins, "*")
	if !everyone {
		c.Vary(fiber.HeaderOrigin)
		if !slices.Contains(s.config.Origins, origin) {
			return c.Next()
		}
		// trusted by name: a proxy in front may ask for cookies; we do not
		c.Set(fiber.HeaderAccessControlAllowCredentials, "true")
	} else {
		origin = "*"
	}
	c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
	if method := c.Get(fiber.HeaderAccessControlRequestMethod); c.Method() == fiber.MethodOptions && method != "" && c.Get(fiber.HeaderOrigin) != "" {
		return preflight(c)
	}
	c.Set(fiber.HeaderAccessControlExposeHeaders, exposed)
	if !isAPI(c) {
		c.Set(headerTimingOrigin, origin)
	}
	return c.Next()
}

// preflight answers what a browser asks before it lets a page of an allowed origin send something unusual.
func preflight(c *fiber.Ctx) error {
	methods := "GET, HEAD"
	if isAPI(c) {
		methods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	}
	c.Vary(fiber.HeaderAccessControlRequestMethod, fiber.HeaderAccessControlRequestHeaders)
	c.Set(fiber.HeaderAccessControlAllowMethods, methods)
	if names := headerNames(field(c, fiber.HeaderAccessControlRequestHeaders)); names != "" {
		c.Set(fiber.HeaderAccessControlAllowHeaders, names)
	}
	c.Set(fiber.HeaderAccessControlMaxAge, preflightAge)
	c.Status(fiber.StatusNoContent)
	return nil
}

// maxHeaderNames is how long a list of header names may be.
const maxHeaderNames = 1024

// headerNames returns the list when it is one of header names, and nothing otherwise. The star is one of them:
// it would stand for all.
func headerNames(list string) string {
	odd := strings.ContainsFunc(list, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_., ", r)
	})
	if odd || len(list) > maxHeaderNames {
		return ""
	}
	return list
}

// isAPI reports whether the path is one of the API's. Routes are matched without regard to case.
func isAPI(c *fiber.Ctx) bool {
	const prefix = "/api/"
	p := c.Path()
	return len(p) >= len(prefix) && strings.EqualFold(p[:len(prefix)], prefix)
}
