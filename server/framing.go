package server

import (
	"bytes"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/connection"
)

const (
	localMethod    = "method"    // the method as the client sent it, if Fiber does not know it
	localMalformed = "malformed" // why the header is refused
)

// received checks a header before fasthttp reads the body or asks for it. It makes frame refuse a malformed one, whose
// body is not read: nobody knows its end.
func received(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	last, err := checkHeader(h)
	if last || err != nil {
		h.SetConnectionClose()
	}
	if err != nil {
		h.SetContentLength(0)
	}
	switch expected := h.Peek(fiber.HeaderExpect); {
	case len(expected) == 0:
	case err != nil || !h.IsHTTP11(): // a client of HTTP/1.0 would take 100 for the response
		h.Del(fiber.HeaderExpect)
	case is(expected, continues):
		h.Set(fiber.HeaderExpect, continues) // fasthttp knows it in small letters only
	}
	return fasthttp.RequestConfig{}
}

// continues is the one expectation that HTTP defines.
const continues = "100-continue"

// frame runs before Fiber. It routes a method that Fiber does not know like one that no route allows, so the response
// has an id, a log line and the Allow header of the path.
func (s *Server) frame(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	known := map[string]bool{}
	for _, m := range s.app.Config().RequestMethods {
		known[m] = true
	}
	return func(c *fasthttp.RequestCtx) {
		err := headerFault(c)
		if err != nil {
			c.SetUserValue(localMalformed, err)
		}
		if m := c.Method(); !known[string(m)] {
			c.SetUserValue(localMethod, string(m))
			c.Request.Header.SetMethod(fiber.MethodTrace)
		}
		connection.SetBusy(c, true)
		next(c)
	}
}

// headerFault returns why the header of a request is refused; nil if it is not. received closes the connection of such
// a request, but fasthttp lets it hand nothing on: so the check is repeated here, for the few requests that close their
// connection.
func headerFault(c *fasthttp.RequestCtx) *fault.Error {
	if err := connection.HeaderError(c); err != nil {
		return fault.New(fault.InvalidRequest, "%s", err)
	}
	if !c.Request.Header.ConnectionClose() {
		return nil
	}
	_, err := checkHeader(&c.Request.Header)
	return err
}

// methodOf returns the method as the client sent it, truncated for messages.
func methodOf(c *fiber.Ctx) string {
	m, ok := c.Locals(localMethod).(string)
	if !ok {
		m = c.Method()
	}
	return m[:min(len(m), 20)]
}

// framed answers a request whose header is malformed, and closes the connection after the response. Two parsers could
// split it differently (request smuggling): one would take the body for the next request.
func (s *Server) framed(c *fiber.Ctx) error {
	err, ok := c.Locals(localMalformed).(*fault.Error)
	if !ok {
		return c.Next()
	}
	c.Context().SetConnectionClose()
	c.Locals(localBody, &body{err: errUnread})
	if !isHTTP1(&c.Request().Header) {
		return s.failWith(c, fiber.StatusHTTPVersionNotSupported, err)
	}
	return s.fail(c, err)
}

func isHTTP1(h *fasthttp.RequestHeader) bool {
	p := string(h.Protocol())
	return p == "HTTP/1.1" || p == "HTTP/1.0"
}

// checkHeader refuses what RFC 9112 forbids and fasthttp accepts. last is true if the client wants the connection to
// close after the response. The rest is up to fasthttp: the characters of names and values, duplicates and values of
// Content-Length, duplicates of Transfer-Encoding and Host, a missing Host.
func checkHeader(h *fasthttp.RequestHeader) (last bool, err *fault.Error) {
	if !isHTTP1(h) {
		return false, fault.New(fault.InvalidRequest, "the protocol is %q, expected HTTP/1.1", h.Protocol())
	}
	length, encoding := false, false
	for lines := h.RawHeaders(); len(lines) > 0; {
		line, rest, _ := bytes.Cut(lines, []byte("\n"))
		lines = rest
		n := len(line) - 1
		if n < 0 || line[n] != '\r' {
			return false, fault.New(fault.InvalidRequest, "%s", connection.ErrLineFeed)
		}
		if n == 0 {
			break
		}
		name, value, _ := bytes.Cut(line[:n], []byte(":"))
		if bytes.IndexByte(name, ' ') >= 0 || line[0] == '\t' {
			return false, fault.New(fault.InvalidRequest,
				"the header name %.40q has white space, expected one line a header, without spaces before the colon",
				name)
		}
		switch {
		case is(name, fiber.HeaderConnection):
			last = last || hasToken(value, "close")
		case is(name, fiber.HeaderContentLength):
			length = true
		case is(name, fiber.HeaderTransferEncoding):
			if value = bytes.Trim(value, " \t"); !is(value, "chunked") || !h.IsHTTP11() {
				return false, fault.New(fault.InvalidRequest,
					"the transfer encoding is %.40q in %s, expected chunked in HTTP/1.1", value, h.Protocol())
			}
			encoding = true
		}
	}
	if length && encoding {
		return false, fault.New(fault.InvalidRequest,
			"the request has a Content-Length and a Transfer-Encoding, expected one of them")
	}
	return last, checkHost(h)
}

// checkHost refuses a Host that is none, and user names in it or in the URL.
func checkHost(h *fasthttp.RequestHeader) *fault.Error {
	for _, b := range h.Host() {
		if !hostBytes[b] {
			return fault.New(fault.InvalidRequest,
				"the Host header %.80q is invalid, expected a name or an address, and possibly a port", h.Host())
		}
	}
	if uri := h.RequestURI(); uri[0] != '/' {
		_, authority, _ := bytes.Cut(uri, []byte("://"))
		if end := bytes.IndexAny(authority, "/?#"); end >= 0 {
			authority = authority[:end]
		}
		if bytes.IndexByte(authority, '@') >= 0 {
			return fault.New(fault.InvalidRequest, "the URL has a user name, expected none before its host")
		}
	}
	return nil
}

// hostBytes are those that a host and a port may have (RFC 3986, section 3.2).
var hostBytes = func() (t [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + "-._~" +
		"!$&'()*+,;=" + "%:[]") {
		t[b] = true
	}
	return t
}()

// is reports whether a name or token is that one, in any case.
func is(text []byte, want string) bool {
	return len(text) == len(want) && strings.EqualFold(string(text), want)
}

// hasToken reports whether a list of tokens has that one.
func hasToken(list []byte, token string) bool {
	for one := range bytes.SplitSeq(list, []byte(",")) {
		if is(bytes.Trim(one, " \t"), token) {
			return true
		}
	}
	return false
}
