package server

import (
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/lines"
)

// logRequest logs a request with the status and the body's length of its answer.
func logRequest(s *Server, c *fasthttp.RequestCtx, l *lines.Request, at time.Time) {
	l.Status, l.Bytes, l.Address = c.Response.StatusCode(), bodyBytes(&c.Response), s.config.address(c)
	s.lines.Write(l, at)
}

// bodyBytes returns the length of the response body; 0 for a stream of unknown length, which it does not read.
func bodyBytes(r *fasthttp.Response) int {
	if r.IsBodyStream() {
		return max(0, r.Header.ContentLength())
	}
	return len(r.Body())
}
