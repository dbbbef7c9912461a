package connection

import (
	"bufio"
	"io"

	"github.com/valyala/fasthttp"
)

// minUncopied is the length from which on a body is not copied: below, copying it takes less than telling the system of
// two places.
const minUncopied = 2 << 10

// SetBody makes data the body of the response to r, as SetBodyRaw does. On a connection of Listen it is written from
// where it is together with the header; fasthttp would copy it into its buffer. data must not change.
func SetBody(r *fasthttp.RequestCtx, data []byte) {
	c, ok := r.Conn().(*conn)
	if !ok || len(data) < minUncopied {
		r.Response.SetBodyRaw(data)
		return
	}
	c.body.left = data
	r.Response.SetBodyStream(&c.body, len(data))
}

// body is the body of the response that a connection is about to send. There is one at a time, for a response is
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
		err := buffer.Flush() // what the buffer holds, responses before this one included, and data behind it
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

// Read implements io.Reader for callers that want the bytes otherwise.
func (b *body) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

// Close lets go of the bytes of a body that was not sent.
func (b *body) Close() error {
	b.left = nil
	return nil
}
