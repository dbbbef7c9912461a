package server

import (
	"bytes"
	"net/textproto"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/connection"
)

// localMethod holds the method as the client sent it, if Fiber does not know it.
const localMethod = "method"

// frame runs before Fiber. It routes a method that Fiber does not know like one that no route allows, so the response has
// an id, a log line and the Allow header of the path.
func (s *Server) frame(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	known := map[string]bool{}
	for _, m := range s.app.Config().RequestMethods {
		known[m] = true
	}
	return func(c *fasthttp.RequestCtx) {
		if m := c.Method(); !known[string(m)] {
			c.SetUserValue(localMethod, string(m))
			c.Request.Header.SetMethod(fiber.MethodTrace)
		}
		connection.SetBusy(c, true)
		if !(again{s}).replay(c) {
			next(c)
		}
	}
}

// methodOf returns the method as the client sent it, truncated for messages.
func methodOf(c *fiber.Ctx) string {
	m, ok := c.Locals(localMethod).(string)
	if !ok {
		m = c.Method()
	}
	return m[:min(len(m), 20)]
}

// framed rejects a request that two parsers could split differently (request smuggling): one would take the body for the
// next request. It closes the connection after the response.
func (s *Server) framed(c *fiber.Ctx) error {
	h := &c.Request().Header
	var f *fault.Error
	switch protocol := string(h.Protocol()); {
	case protocol != "HTTP/1.1" && protocol != "HTTP/1.0":
		f = fault.New(fault.InvalidRequest, "the protocol is %q, expected HTTP/1.1", protocol)
	case isAmbiguous(h.RawHeaders()):
		f = fault.New(fault.InvalidRequest, "the end of the request is ambiguous, expected a Content-Length or Transfer-Encoding: chunked, and one line a header")
	default:
		return c.Next()
	}
	c.Context().SetConnectionClose()
	c.Locals(localBody, &body{err: errUnread}) // the end is unknown, so the body is not read
	return s.fail(c, f)
}

// isAmbiguous reports whether the header has both Content-Length and Transfer-Encoding, a Transfer-Encoding other than
// chunked, a folded line, or a line that ends with a bare line feed.
func isAmbiguous(lines []byte) bool {
	length, encoding := false, false
	for line := range bytes.Lines(lines) {
		if line[0] == ' ' || line[0] == '\t' || !bytes.HasSuffix(line, []byte("\r\n")) {
			return true
		}
		key, value, _ := bytes.Cut(line, []byte(":"))
		switch textproto.CanonicalMIMEHeaderKey(string(key)) {
		case fiber.HeaderContentLength:
			length = true
		case fiber.HeaderTransferEncoding:
			if !strings.EqualFold(string(bytes.TrimSpace(value)), "chunked") {
				return true
			}
			encoding = true
		}
	}
	return length && encoding
}
