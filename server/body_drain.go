package server

import (
	"errors"
	"io"

	"github.com/gofiber/fiber/v2"
)

// localBody holds the body of the request.
const localBody = "body"

// body is the body of a request as it arrives. It remembers its end: a read past the last chunk makes fasthttp's own
// stream wait for another chunk, which belongs to the next request or never arrives.
type body struct {
	r   io.Reader
	err error // io.EOF or the error that ended it
}

// bodyOf returns the only reader of the request's body; nil if there is no body.
func bodyOf(c *fiber.Ctx) *body {
	if b, ok := c.Locals(localBody).(*body); ok {
		return b
	}
	r := c.Context().RequestBodyStream()
	if r == nil {
		return nil
	}
	b := &body{r: r}
	c.Locals(localBody, b)
	return b
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.err = err
	return n, err
}

// errUnread ends a body that must not be read.
var errUnread = errors.New("the body is not read")

// maxDrain is how much of an unread body is read, so that its sender can read the response.
const maxDrain = 16 << 20

// drainBody reads what the handler has left of the body. The next request follows it on the connection, and closing a
// connection with unread bytes resets it, which may lose the response. If the end is not found, the connection closes
// after the response.
func drainBody(c *fiber.Ctx) {
	b := bodyOf(c)
	if b == nil {
		return
	}
	_, _ = io.CopyN(io.Discard, b, maxDrain) // b keeps the error
	if !errors.Is(b.err, io.EOF) {
		c.Context().SetConnectionClose()
	}
}
