package server

import (
	"bytes"
	"net/textproto"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/fault"
)

// localMethod holds the method as the client sent it, where Fiber knows no such method.
const localMethod = "method"

// frame stands before Fiber. A method that Fiber does not know takes the route of one that no route allows, so that
// its refusal has an id, a line in the log and the Allow header of that path, as any other.
func (s *Server) frame(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	known := map[string]bool{}
	for _, m := range s.app.Config().RequestMethods {
		known[m] = true
	}
	return func(c *fasthttp.RequestCtx) {
		if m := string(c.Method()); !known[m] {
			c.SetUserValue(localMethod, m)
			c.Request.Header.SetMethod(fiber.MethodTrace)
		}
		next(c)
	}
}

// methodOf is the method as the client sent it, cut to what fits a message.
func methodOf(c *fiber.Ctx) string {
	m, ok := c.Locals(localMethod).(string)
	if !ok {
		m = c.Method()
	}
	return m[:min(len(m), 20)]
}

// framed refuses a request whose end two readers could see in different places: what one of them takes for the
// body is the next request for the other. The connection ends with the answer.
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
	c.Locals(localBody, &body{err: errUnread}) // its end is unknown, so nothing of it is read
	return s.fail(c, f)
}

// isAmbiguous reports whether header lines hold both Content-Length and Transfer-Encoding, a Transfer-Encoding
// other than chunked, a line that goes on in the next one, or one that a line feed alone ends.
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
