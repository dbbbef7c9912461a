package server

import (
	"crypto/rand"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// identify gives the request its id: the client's, when it is a sane one, else a new one.
func (s *Server) identify(c *fiber.Ctx) error {
	id := c.Get(fiber.HeaderXRequestID)
	if !isSaneID(id) {
		id = rand.Text()
	}
	c.Set(fiber.HeaderXRequestID, id)
	c.SetUserContext(auth.WithAddress(fault.WithRequestID(c.UserContext(), id), s.address(c).String()))
	return c.Next()
}

func isSaneID(id string) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	}) < 0
}

// observe logs and counts the request. Its query string and bodies are left out: they hold secrets.
func (s *Server) observe(c *fiber.Ctx) error {
	start := time.Now()
	s.active.Add(1)
	defer s.active.Add(-1)
	end := s.trace(c)
	if err := c.Next(); err != nil {
		_ = s.fiberError(c, err)
	}
	status, took := c.Response().StatusCode(), time.Since(start)
	route := routeOf(c)
	s.metrics.observe(route, status, took)
	end(route, status)
	level := slog.LevelInfo
	if status >= fiber.StatusInternalServerError {
		level = slog.LevelWarn
	}
	if !s.Log.Enabled(c.UserContext(), level) {
		return nil
	}
	s.Log.LogAttrs(c.UserContext(), level, "request",
		slog.String("requestId", fault.RequestID(c.UserContext())), slog.String("method", methodOf(c)), slog.String("path", loggedPath(c)),
		slog.Int("status", status), slog.Int("bytes", bodyBytes(c)), slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.String("address", s.address(c).String()), slog.String("user", userOf(c)), slog.String("code", codeOf(c)))
	return nil
}

// codeOf is the code of the error that was answered, empty when there was none.
func codeOf(c *fiber.Ctx) string {
	code, _ := c.Locals(localCode).(string)
	return code
}

// bodyBytes is how long the answer's body is; a stream is not read for that, and is 0 when nobody knows.
func bodyBytes(c *fiber.Ctx) int {
	if r := c.Response(); r.IsBodyStream() {
		return max(0, r.Header.ContentLength())
	}
	return len(c.Response().Body())
}

// loggedPath is rawPath without the id of an upload, which lets who knows it send bytes.
func loggedPath(c *fiber.Ctx) string {
	const uploads = "/api/uploads/"
	if p := rawPath(c); !strings.HasPrefix(p, uploads) {
		return p
	}
	return uploads + ":id"
}

func userOf(c *fiber.Ctx) string {
	if i := auth.FromContext(c.UserContext()); !i.IsAnonymous() {
		return i.UserID.String()
	}
	return ""
}

// routeOf names the route for figures: a closed list, never the path itself.
func routeOf(c *fiber.Ctx) string {
	if r := c.Route().Path; r != "/*" && r != "/api/*" {
		return r
	}
	if strings.HasPrefix(c.Path(), "/api/") {
		return "/api/*"
	}
	return "image"
}

// recovered answers 500 for a panic of a handler and logs where it was; the process goes on.
func (s *Server) recovered(c *fiber.Ctx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.ErrorContext(c.UserContext(), "panic", "requestId", fault.RequestID(c.UserContext()), "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "Internal error")
		}
	}()
	return c.Next()
}

// secure sets the headers that every answer bears.
func secure(c *fiber.Ctx) error {
	secureHeaders(c)
	defer settle(c)
	err := c.Next()
	if c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		if n := c.Request().Header.ContentLength(); n > 0 || n == -1 {
			c.Context().SetConnectionClose() // nobody reads its body, so the next request could not be found behind it
		}
	}
	return err
}

func secureHeaders(c *fiber.Ctx) {
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(headerResourcePolicy, "same-origin")
}

// rawPath is the path as it stands in the request line, in a string of its own.
func rawPath(c *fiber.Ctx) string { return string(c.Request().URI().PathOriginal()) }

func retryAfter(d time.Duration) string {
	return strconv.Itoa(max(1, int((d+time.Second-1)/time.Second)))
}
