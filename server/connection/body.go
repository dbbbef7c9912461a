package connection

import (
	"bufio"
	"io"

	"github.com/valyala/fasthttp"
)

// minUncopied is the min length of a body that is sent without a copy. Copying a shorter one is cheaper than a write
// from two buffers.
const minUncopied = 2 << 10

// SetBody makes data the body of the response to r, as SetBodyRaw does. On a connection of Listen, header and body are
// written in one call without a copy; fasthttp would copy the body into its buffer. data must not change.
func SetBody(r *fasthttp.RequestCtx, data []byte) {
	c, ok := r.Conn().(*conn)
	if !ok || len(data) < minUncopied {
		r.Response.SetBodyRaw(data)
		return
	}
	c.body.left = data
	r.Response.SetBodyStream(&c.body, len(data))
}

// body is the body of the response that a connection is about to send. There is only one, because a response is
// written before the next request is read.
type body struct {
	conn *conn
	left []byte
}

// WriteTo implements io.WriterTo, which fasthttp calls after it has written the header to its buffer.
func (b *body) WriteTo(w io.Writer) (int64, error) {
	data := b.left
	b.left = nil
	if buffer, ok := w.(*bufio.Writer); ok && buffer.Buffered() > 0 {
		b.conn.follows = data
		err := buffer.Flush() // sends what the buffer holds, including earlier responses, followed by data
		sent := b.conn.follows == nil
		b.conn.follows = nil
		if err != nil {
			return 0, err
		}
		if sent {
			return int64(len(data)), nil
		}
	}
	n, err := w.Write(data)
	return int64(n), err
}

// Read implements io.Reader for callers that do not use WriteTo.
func (b *body) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

// Close drops the bytes of a body that was not sent.
func (b *body) Close() error {
	b.left = nil
	return nil
}
