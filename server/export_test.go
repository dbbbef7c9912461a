package server

import (
	"bufio"
	"strings"

	"github.com/valyala/fasthttp"
)

// The ages at which a source counts as settled, for tests.
const (
	ClockResolution  = clockResolution
	CoarseResolution = coarseResolution
)

// Waiting returns the number of requests that wait for a result to be rendered.
func (s *Server) Waiting() int { return s.flights.Waiting() }

// Again sends a request, as it is on the wire, to the answers that were kept; ok is false if none applies.
func (s *Server) Again(request string) (status int, body string, ok bool) {
	var c fasthttp.RequestCtx
	c.Init(&fasthttp.Request{}, nil, nil)
	if err := c.Request.Read(bufio.NewReader(strings.NewReader(request))); err != nil {
		panic(err)
	}
	ok = again{s}.replay(&c)
	return c.Response.StatusCode(), string(c.Response.Body()), ok
}
