package connection

import (
	"bytes"
	"errors"

	"github.com/valyala/fasthttp"
)

// header follows the line ends of a request's header as the bytes arrive. fasthttp accepts lines that end with a bare
// line feed, but then waits for an empty line that ends with CR LF, possibly until the timeout. When fasthttp has the
// whole header, the server checks everything else, and line ends again.
//
// Pipelined headers, whose first bytes arrived together with the previous request, are not followed, because only
// fasthttp knows where the body in between ends.
type header struct {
	awaited   bool // nothing has been read since the last response
	begun     bool // the request line has ended
	done      bool // the header has ended, or is not being followed
	pipelined bool
	length    int  // length of the current line so far
	cr        bool // the last byte of the line so far is a carriage return
	err       error
}

// ErrLineFeed is the error of a line that ends with a bare line feed.
var ErrLineFeed = errors.New("a line of the header ends with a line feed, expected CR LF")

var errCarriageReturn = errors.New("a line of the header has a carriage return, expected CR LF at its end")

// follow reads the next bytes. It returns an error for an invalid line end, and keeps returning it.
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
		// RFC 9112, section 2.2 allows empty lines before the request line.
		isEmpty := h.length+end == 1
		h.done = isEmpty && h.begun
		h.begun = h.begun || !isEmpty
		h.length, h.cr, p = 0, false, p[end+1:]
	}
	return nil
}

// isStuck reports whether fasthttp waits for more of a pipelined header although tail, the last bytes that it got, is
// an empty line that ends with a bare line feed.
func (h *header) isStuck(tail [2]byte) bool { return h.pipelined && tail == [2]byte{'\n', '\n'} }

// HeaderError returns what is wrong with the line ends in the header of r; nil if they are valid.
func HeaderError(r *fasthttp.RequestCtx) error {
	if c, ok := r.Conn().(*conn); ok {
		return c.header.err
	}
	return nil
}

// IsInRequestLine reports whether the request line of r has not ended yet.
func IsInRequestLine(r *fasthttp.RequestCtx) bool {
	c, ok := r.Conn().(*conn)
	return ok && !c.header.begun && !c.header.done
}
