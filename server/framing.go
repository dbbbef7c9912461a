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
	localMalformed = "malformed" // why the header is rejected
)

// checkReceived checks a header before fasthttp reads or requests the body. For a malformed header, it closes the
// connection and leaves the body unread, because the end of the body is ambiguous. beforeFiber then rejects the
// request.
func checkReceived(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	last, expects, err := checkHeader(h)
	if last || err != nil {
		h.SetConnectionClose()
	}
	if err != nil {
		h.SetContentLength(0)
	}
	switch {
	case err != nil || expects && !h.IsHTTP11(): // an HTTP/1.0 client would mistake "100 Continue" for the response
		h.Del(fiber.HeaderExpect)
	case expects && is(h.Peek(fiber.HeaderExpect), continues):
		h.Set(fiber.HeaderExpect, continues) // fasthttp knows only the lowercase spelling
	}
	return fasthttp.RequestConfig{}
}

// continues is the only expectation that HTTP defines.
const continues = "100-continue"

// beforeFiber wraps Fiber's handler. It answers from the response cache if possible, and routes a method that Fiber
// does not know like one that no route allows, so that the response has an id, a log line and the Allow header of the
// path.
func (s *Server) beforeFiber(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	known := map[string]bool{}
	for _, m := range s.app.Config().RequestMethods {
		known[m] = true
	}
	return func(c *fasthttp.RequestCtx) {
		connection.SetBusy(c, true)
		if err := headerFault(c); err != nil {
			c.SetUserValue(localMalformed, err)
		} else if s.sendCached(c) {
			return
		}
		if m := c.Method(); !known[string(m)] {
			c.SetUserValue(localMethod, string(m))
			c.Request.Header.SetMethod(fiber.MethodTrace)
		}
		next(c)
	}
}

// headerFault returns why the header of a request is rejected; nil if it is not. fasthttp gives checkReceived no way
// to pass its result on, so the check is repeated here for the few requests whose connection closes.
func headerFault(c *fasthttp.RequestCtx) *fault.Error {
	if err := connection.HeaderError(c); err != nil {
		return fault.New(fault.InvalidRequest, "%s", err)
	}
	if !c.Request.Header.ConnectionClose() {
		return nil
	}
	_, _, err := checkHeader(&c.Request.Header)
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

// rejectMalformed answers a request whose header is malformed, and closes the connection after the response. Such a
// request could be used for request smuggling: another parser may take a part of its body for the next request.
func (s *Server) rejectMalformed(c *fiber.Ctx) error {
	err, ok := c.Locals(localMalformed).(*fault.Error)
	if !ok {
		return c.Next()
	}
	c.Context().SetConnectionClose()
	c.Locals(localBody, &body{err: errUnread})
	if !isHTTP1(&c.Request().Header) {
		return s.fail(c, fiber.StatusHTTPVersionNotSupported, err)
	}
	return err
}

func isHTTP1(h *fasthttp.RequestHeader) bool {
	p := string(h.Protocol())
	return p == "HTTP/1.1" || p == "HTTP/1.0"
}

// checkHeader rejects what RFC 9112 forbids but fasthttp accepts. last is true if the client wants the connection to
// close after the response. expects is true if the header has an Expect field. fasthttp itself checks the characters
// of names and values, a missing Host, values of Content-Length, and duplicates of Content-Length, Transfer-Encoding
// and Host.
func checkHeader(h *fasthttp.RequestHeader) (last, expects bool, err *fault.Error) {
	if !isHTTP1(h) {
		return false, false, fault.New(fault.InvalidRequest, "the protocol is %q, expected HTTP/1.1", h.Protocol())
	}
	length, encoding := false, false
	for lines := h.RawHeaders(); len(lines) > 0; {
		line, rest, _ := bytes.Cut(lines, []byte("\n"))
		lines = rest
		n := len(line) - 1
		if n < 0 || line[n] != '\r' {
			return false, false, fault.New(fault.InvalidRequest, "%s", connection.ErrLineFeed)
		}
		if n == 0 {
			break
		}
		name, value, _ := bytes.Cut(line[:n], []byte(":"))
		if bytes.IndexByte(name, ' ') >= 0 || line[0] == '\t' {
			return false, false, fault.New(
				fault.InvalidRequest,
				"the header name %.40q has white space, expected one line for each header and no space before the colon",
				name,
			)
		}
		switch {
		case is(name, fiber.HeaderConnection):
			last = last || hasToken(value, "close")
		case is(name, fiber.HeaderContentLength):
			length = true
		case is(name, fiber.HeaderTransferEncoding):
			if value = bytes.Trim(value, " \t"); !is(value, "chunked") || !h.IsHTTP11() {
				return false, false, fault.New(fault.InvalidRequest,
					"the transfer encoding is %.40q in %s, expected chunked in HTTP/1.1", value, h.Protocol())
			}
			encoding = true
		case is(name, fiber.HeaderExpect):
			expects = true
		}
	}
	if length && encoding {
		return false, false, fault.New(fault.InvalidRequest,
			"the request has a Content-Length and a Transfer-Encoding, expected one of them")
	}
	return last, expects, checkHost(h)
}

// checkHost rejects an invalid Host, and user names in it or in the URL.
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
			return fault.New(fault.InvalidRequest, "the URL has a user name before its host, expected none")
		}
	}
	return nil
}

// hostBytes says for each byte whether a host or a port may contain it (RFC 3986, section 3.2).
var hostBytes = func() (t [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + "-._~" +
		"!$&'()*+,;=" + "%:[]") {
		t[b] = true
	}
	return t
}()

// is reports whether a name or token equals want, ignoring case.
func is(text []byte, want string) bool {
	return len(text) == len(want) && strings.EqualFold(string(text), want)
}

// hasToken reports whether a comma-separated list contains the token.
func hasToken(list []byte, token string) bool {
	for one := range bytes.SplitSeq(list, []byte(",")) {
		if is(bytes.Trim(one, " \t"), token) {
			return true
		}
	}
	return false
}
