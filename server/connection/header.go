package connection

import (
	"bytes"
	"errors"

	"github.com/valyala/fasthttp"
)

// header follows the line ends of a request's header as the bytes arrive. fasthttp accepts lines that end with a bare
// line feed, but it waits for an empty line behind a CR LF, until the timeout if need be. The server checks all else,
// and line ends once more, when fasthttp has the whole header.
//
// A header whose first bytes came together with the request before is not followed, because only fasthttp knows where
// the body in between ends: it is pipelined.
type header struct {
	awaited   bool // nothing has been read since the last response
	begun     bool // the request line has ended
	done      bool // the header has ended, or it is not followed
	pipelined bool
	length    int  // of the current line so far
	cr        bool // the last byte of that is a carriage return
	err       error
}

// ErrLineFeed is the error of a line that ends with a bare line feed.
var ErrLineFeed = errors.New("a line of the header ends with a line feed, expected CR LF")

var errCarriageReturn = errors.New("a line of the header has a carriage return, expected CR LF at its end")

// follow reads on. Its error, which it keeps, is that of a line end.
func (h *header) follow(p []byte) error {
	h.awaited = false
	for !h.done && len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		switch {
		case end < 0 && (h.cr || bytes.IndexByte(p[:len(p)-1], '\r') >= 0):
			h.done, h.err = true, errCarriageReturn
			return h.err
		case end < 0:
			h.length += len(p)
			h.cr = p[len(p)-1] == '\r'
			return nil
		case end == 0 && !h.cr || end > 0 && p[end-1] != '\r':
			h.done, h.err = true, ErrLineFeed
			return h.err
		}
		// Empty lines before the request line are allowed (RFC 9112, section 2.2).
		isEmpty := h.length+end == 1
		h.done = isEmpty && h.begun
		h.begun = h.begun || !isEmpty
		h.length, h.cr, p = 0, false, p[end+1:]
	}
	return nil
}

// isStuck reports whether fasthttp waits for more of a pipelined header although the last bytes that it got, tail, are
// an empty line that ends with a bare line feed.
func (h *header) isStuck(tail [2]byte) bool { return h.pipelined && tail == [2]byte{'\n', '\n'} }

// HeaderError returns why the lines of the header of r do not end as they must; nil if they do.
func HeaderError(r *fasthttp.RequestCtx) error {
	if c, ok := r.Conn().(*conn); ok {
		return c.header.err
	}
	return nil
}

// IsInRequestLine reports whether the request line of r has not ended.
func IsInRequestLine(r *fasthttp.RequestCtx) bool {
	c, ok := r.Conn().(*conn)
	return ok && !c.header.begun && !c.header.done
}
