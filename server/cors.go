package server

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Headers for which Fiber has no constants.
const (
	headerResourcePolicy = "Cross-Origin-Resource-Policy"
	headerTimingOrigin   = "Timing-Allow-Origin"
)

// exposed are the response headers that scripts of other origins may read besides the CORS-safelisted ones.
const exposed = "Accept-Ranges, Allow, Cache-Status, Content-Disposition, Content-Range, " +
	"ETag, Location, Retry-After, Safelight-Changes, " +
	"Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, " +
	"Upload-Expires, Upload-Length, Upload-Offset, Upload-Path, X-Request-Id, X-Warnings"

// preflightAge is how long browsers may cache a preflight, in seconds; no browser keeps one longer than two hours.
const preflightAge = "7200"

// cors lets pages of the configured origins read responses, including errors. If the response depends on the origin,
// it always adds Origin to Vary.
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
		// The API and images use no cookies, but a proxy in front of the server may need them.
		c.Set(fiber.HeaderAccessControlAllowCredentials, "true")
	} else {
		origin = "*"
	}
	c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
	method := c.Get(fiber.HeaderAccessControlRequestMethod)
	if c.Method() == fiber.MethodOptions && method != "" && c.Get(fiber.HeaderOrigin) != "" {
		return preflight(c)
	}
	c.Set(fiber.HeaderAccessControlExposeHeaders, exposed)
	if !isAPI(c) {
		c.Set(headerTimingOrigin, origin)
	}
	return c.Next()
}

// preflight answers a CORS preflight of an allowed origin.
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

// maxHeaderNames is the max length of a list of header names.
const maxHeaderNames = 1024

// headerNames returns the list if it contains only header names, else an empty string. It rejects `*`, because that
// would allow every header.
func headerNames(list string) string {
	odd := strings.ContainsFunc(list, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_., ", r)
	})
	if odd || len(list) > maxHeaderNames {
		return ""
	}
	return list
}

// isAPI reports whether a path belongs to the API. Routes are case-insensitive.
func isAPI(c *fiber.Ctx) bool {
	const prefix = "/api/"
	p := c.Path()
	return len(p) >= len(prefix) && strings.EqualFold(p[:len(prefix)], prefix)
}
