package server

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/server/connection"
)

// localBody holds the body of the request.
const localBody = "body"

// minBodyProgress is how many bytes of a body must arrive in each bodyTimeout, unless the body ends. Uploads use
// uploadTimeout instead, because a phone may lose its network for a while.
const (
	minBodyProgress = 16 << 10
	bodyTimeout     = 10 * time.Second
	uploadTimeout   = 60 * time.Second
)

// body reads the body of a request as it arrives. It remembers that it has reached the end, because reading fasthttp's
// stream past the last chunk waits for another chunk, which belongs to the next request or never arrives.
type body struct {
	r   io.Reader
	err error // io.EOF, or the error that ended the body

	headers int // number of header lines of the request; fasthttp adds trailers to them

	conn    net.Conn
	timeout time.Duration // time in which minBodyProgress bytes must arrive
	end     time.Time     // when all bytes must have arrived; zero: no limit while the body makes progress
	until   time.Time     // when the current timeout ends
	got     int           // bytes that have arrived within the current timeout
}

// bodyOf returns the only reader of the request's body; nil if there is no body.
func bodyOf(c *fiber.Ctx) *body {
	if b, ok := c.Locals(localBody).(*body); ok {
		return b
	}
	r := c.Context().RequestBodyStream()
	if r == nil || c.Request().Header.ContentLength() == 0 {
		return nil
	}
	b := &body{r: r, headers: c.Request().Header.Len(), conn: c.Context().Conn(), timeout: bodyTimeout}
	c.Locals(localBody, b)
	return b
}

// Read implements io.Reader. It fails with os.ErrDeadlineExceeded if the body arrives too slowly.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.conn != nil && (b.until.IsZero() || b.got >= minBodyProgress) {
		b.until, b.got = time.Now().Add(b.timeout), 0
		if !b.end.IsZero() && b.until.After(b.end) {
			b.until = b.end
		}
		if err := b.conn.SetReadDeadline(b.until); err != nil {
			return 0, err
		}
	}
	n, err := b.r.Read(p)
	b.got += n
	b.err = err
	return n, err
}

// errUnread is the error of reading a body that must not be read.
var errUnread = errors.New("the body is not read")

// drainBody reads what the handler has left of a short body, because the next request follows it on the connection. If
// the body is long, or the handler has rejected the request, the connection closes after the response and lingers. It
// also closes after trailers, because fasthttp does not follow RFC 9112 when it looks for their end.
func drainBody(c *fiber.Ctx) {
	b := bodyOf(c)
	if b == nil {
		return
	}
	if !c.Response().ConnectionClose() && c.Request().Header.ContentLength() <= maxAnonymousBytes {
		_, _ = io.CopyN(io.Discard, b, maxAnonymousBytes) // b keeps the error
	}
	if !errors.Is(b.err, io.EOF) || c.Request().Header.Len() > b.headers {
		c.Context().SetConnectionClose()
		connection.Linger(c.Context())
	}
}
