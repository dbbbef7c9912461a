package server

import (
	"bytes"
	"context"
	_ "embed"
	"html"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// healthy answers 200 while the process runs.
func (s *Server) healthy(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"status": "ok", "version": s.Version})
}

// ready answers 200 if database, storage and workers are available and a job would be admitted; 503 UNAVAILABLE if one is
// not or the server is shutting down, 503 OVERLOADED if the queue is full.
func (s *Server) ready(c *fiber.Ctx) error {
	if s.stopping.Load() {
		c.Context().SetConnectionClose()
		return s.fail(c, fault.New(fault.Unavailable, "the server is about to stop"))
	}
	if err := s.work.Saturated(); err != nil {
		return s.fail(c, err)
	}
	if r, ok := s.Engine.(imaging.WorkerReporter); ok {
		if err := r.Ready(); err != nil {
			return s.fail(c, err)
		}
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), 5*time.Second)
	defer cancel()
	if err := files(ctx).Gallery.Ready(ctx); err != nil {
		return s.fail(c, err)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"status": "ok"})
}

// sdl answers with the GraphQL schema.
func (s *Server) sdl(c *fiber.Ctx) error {
	return s.document(c, "text/plain; charset=utf-8", askEachTime, []byte(s.Schema))
}

//go:embed openapi.json
var openAPIDocument []byte

// openAPI answers with the OpenAPI description of the REST routes.
func (s *Server) openAPI(c *fiber.Ctx) error {
	return s.document(c, fiber.MIMEApplicationJSON, askEachTime, openAPIDocument)
}

//go:embed landing.html
var landingPage []byte

// landing answers with a page that describes the server.
func (s *Server) landing(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'")
	return s.document(c, fiber.MIMETextHTMLCharsetUTF8, askEachTime, bytes.ReplaceAll(landingPage, []byte("{version}"), []byte(html.EscapeString(s.Version))))
}
