package server

import (
	"bytes"
	"context"
	_ "embed"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// errStopping is why a server that is shutting down is not ready.
var errStopping = fault.New(fault.Unavailable, "the server is shutting down")

// healthy answers 200 as long as the process runs.
func (s *Server) healthy(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"status": "ok", "version": s.Version})
}

// ready answers 200 if the server is ready, and 503 with the reason if it is not.
func (s *Server) ready(c *fiber.Ctx) error {
	if s.stopping.Load() {
		c.Context().SetConnectionClose()
	}
	if err := s.readiness(c.UserContext(), files(c.UserContext())); err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"status": "ok"})
}

// isReady reports whether /readyz would answer 200. The metrics use it.
func (s *Server) isReady() bool {
	held := s.filesInUse.Hold()
	defer held.Release()
	return s.readiness(context.Background(), held.Value) == nil
}

// readiness returns nil if the database and the storage are available and accept writes, workers start, the processor
// secret can be read, and a job would be admitted. It returns fault.Unavailable if one of these fails or the server is
// shutting down, and fault.Overloaded if the queue is full.
func (s *Server) readiness(ctx context.Context, f Files) error {
	if s.stopping.Load() {
		return errStopping
	}
	if err := s.work.Saturated(); err != nil {
		return err
	}
	if r, ok := s.Engine.(imaging.WorkerReporter); ok {
		if err := r.Ready(); err != nil {
			return err
		}
	}
	if err := s.Signing.CheckReadable(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return f.Gallery.Ready(ctx)
}

// sdl answers with the GraphQL schema.
func (s *Server) sdl(c *fiber.Ctx) error {
	caches := "private, " + alwaysRevalidate
	if s.config.PublicSchema {
		caches = alwaysRevalidate
	}
	return s.document(c, "text/plain; charset=utf-8", caches, []byte(s.Schema))
}

// introspect redirects tools such as gql.tada, which send an introspection query to the URL of the schema. The status
// makes clients repeat the request with the same method and body, so the usual limits and permissions apply.
func (s *Server) introspect(c *fiber.Ctx) error {
	c.Context().SetConnectionClose() // the body stays unread
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.Redirect(graphQLPath, fiber.StatusPermanentRedirect)
}

//go:embed openapi.json
var openAPIDocument []byte

// openAPI answers with the OpenAPI description of the REST routes.
func (s *Server) openAPI(c *fiber.Ctx) error {
	return s.document(c, fiber.MIMEApplicationJSON, alwaysRevalidate, openAPIDocument)
}

// landing answers with a page that describes the server.
func (s *Server) landing(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentSecurityPolicy,
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'")
	var page bytes.Buffer
	if err := pages.ExecuteTemplate(&page, "landing.html", s.Version); err != nil {
		return err
	}
	return s.document(c, fiber.MIMETextHTMLCharsetUTF8, alwaysRevalidate, page.Bytes())
}
