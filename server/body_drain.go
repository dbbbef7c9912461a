package server

import (
	"errors"
	"io"

	"github.com/gofiber/fiber/v2"
)

// localBody holds the body of the request.
const localBody = "body"

// body is the body of a request as it arrives. Its end is its end: asked again after the last chunk, fasthttp's own
// stream waits for another one, which is the next request or never comes.
type body struct {
	r   io.Reader
	err error // what ended it
}

// bodyOf returns the one reader of the request's body; nil when there is none.
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

// errUnread stands for the end of a body that must not be read.
var errUnread = errors.New("the body is not read")

// maxLinger is how much of a body that nobody wants is taken in, so that its sender gets to read the answer.
const maxLinger = 16 << 20

// settle reads what the handler has left of the body: the next request stands behind it, and closing a connection with
// bytes unread resets it, which may lose the answer. Where the end is not found, the connection ends with the answer.
func settle(c *fiber.Ctx) {
	b := bodyOf(c)
	if b == nil {
		return
	}
	_, _ = io.CopyN(io.Discard, b, maxLinger) // b keeps what went wrong
	if !errors.Is(b.err, io.EOF) {
		c.Context().SetConnectionClose()
	}
}
