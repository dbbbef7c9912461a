package server

import (
	"context"
	"encoding/base32"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/accesslog"
)

// assignRequestID sets the request id: the client's id if it is valid, else a new one.
func (s *Server) assignRequestID(c *fiber.Ctx) error {
	id := requestID(&c.Request().Header)
	c.Set(fiber.HeaderXRequestID, id)
	c.SetUserContext(auth.WithAddress(fault.WithRequestID(c.UserContext(), id), s.address(c).String()))
	return c.Next()
}

// requestID returns the request's id: the client's id if it is valid, else a new one.
func requestID(h *fasthttp.RequestHeader) string {
	if id := string(h.Peek(fiber.HeaderXRequestID)); isSaneID(id) {
		return id
	}
	// The id has to be unique, not secret, and this random source takes a fraction of the time of crypto/rand.
	var random [16]byte
	binary.LittleEndian.PutUint64(random[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(random[8:], rand.Uint64())
	return requestIDEncoding.EncodeToString(random[:])
}

var requestIDName, requestIDEncoding = []byte(fiber.HeaderXRequestID), base32.StdEncoding.WithPadding(base32.NoPadding)

func isSaneID(id string) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	}) < 0
}

// observe logs and counts the request. The log omits the query string and the bodies, which contain secrets.
func (s *Server) observe(c *fiber.Ctx) error {
	start := c.Context().Time()
	s.active.Add(1)
	defer s.active.Add(-1)
	held := s.filesInUse.Hold()
	defer held.Release()
	defer s.releaseBodies(c)
	ctx, end := s.trace(held.With(c.UserContext()), c.Context(), start)
	c.SetUserContext(ctx)
	if err := c.Next(); err != nil {
		_ = s.fiberError(c, err)
	}
	status, took := c.Response().StatusCode(), time.Since(start)
	route := routeOf(c)
	s.metrics.Request(route, status, took)
	end(route, status)
	line := accesslog.Request{ID: fault.RequestID(c.UserContext()), Method: methodOf(c), Took: took,
		Path: loggedPath(rawPath(c)), User: userOf(c), Code: codeOf(c)}
	line.Stopping = s.stopping.Load() && line.Path == "/readyz"
	logRequest(s, c.Context(), &line, start.Add(took))
	return nil
}

// codeOf returns the code of the error in the response; empty if there was none.
func codeOf(c *fiber.Ctx) string {
	code, _ := c.Locals(localCode).(string)
	return code
}

func userOf(c *fiber.Ctx) string {
	if i := auth.FromContext(c.UserContext()); !i.IsAnonymous() {
		return i.UserID.String()
	}
	return ""
}

// routeOf returns the route as a metrics label: one of a fixed set, never the path itself.
func routeOf(c *fiber.Ctx) string {
	if r := c.Route().Path; r != "/*" && r != "/api/*" {
		return r
	}
	if isAPI(c) {
		return "/api/*"
	}
	return "image"
}

// recoverPanic answers 500 if a handler panics, and logs the stack. The process continues.
func (s *Server) recoverPanic(c *fiber.Ctx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(c.UserContext(), s.Log, p)
		}
	}()
	return c.Next()
}

// panicked logs what a deferred function recovered, and returns the error that the client gets.
func panicked(ctx context.Context, log *slog.Logger, recovered any) error {
	logPanic(ctx, log, recovered)
	return fault.New(fault.Internal, "Internal error")
}

// logPanic logs what a deferred function recovered, with the stack.
func logPanic(ctx context.Context, log *slog.Logger, recovered any) {
	log.ErrorContext(ctx, "panic", "requestId", fault.RequestID(ctx), "panic", recovered,
		"stack", string(debug.Stack()))
}

// secure sets the security headers of every response.
func secure(c *fiber.Ctx) error {
	secureHeaders(c)
	defer drainBody(c)
	err := c.Next()
	if c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead {
		if n := c.Request().Header.ContentLength(); n > 0 || n == -1 {
			// The body stays unread, so the start of the next request on the connection would be unknown.
			c.Context().SetConnectionClose()
		}
	}
	return err
}

func secureHeaders(c *fiber.Ctx) {
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(headerResourcePolicy, "same-origin")
	c.Set(fiber.HeaderContentSecurityPolicy, sandboxPolicy) // pages and the application set their own
}

// rawPath returns a copy of the path as it is in the request line.
func rawPath(c *fiber.Ctx) string { return string(c.Request().URI().PathOriginal()) }

// credentialRoutes are the routes whose last segment is a credential: whoever knows it needs no token. Logs show
// nothing that follows it, either.
var credentialRoutes = []string{uploadPath, archivePath, sharePath}

// loggedPath returns a path for logs and traces: credentials are replaced with the name of the parameter, and the
// length is at most accesslog.MaxPath.
func loggedPath(raw string) string {
	spellings := []string{raw}
	if decoded, err := url.PathUnescape(raw); err == nil {
		// This is not one of our routes, but a proxy or a client may have encoded or doubled a slash before the
		// credential.
		spellings = append(spellings, path.Clean("/"+decoded))
	}
	for _, route := range credentialRoutes {
		prefix, _, _ := strings.Cut(route, ":")
		for _, p := range spellings {
			if len(p) > len(prefix) && strings.EqualFold(p[:len(prefix)], prefix) { // Fiber ignores case
				return route
			}
		}
	}
	return accesslog.ShortenPath(raw)
}

// logRequest logs a request with the status and the body length of its response.
func logRequest(s *Server, c *fasthttp.RequestCtx, l *accesslog.Request, at time.Time) {
	l.Status, l.Bytes, l.Address = c.Response.StatusCode(), bodyBytes(&c.Response), s.config.address(c)
	s.accessLog.Write(l, at)
}

// bodyBytes returns the length of the response body; 0 for a stream of unknown length, which it does not read.
func bodyBytes(r *fasthttp.Response) int {
	if r.IsBodyStream() {
		return max(0, r.Header.ContentLength())
	}
	return len(r.Body())
}
