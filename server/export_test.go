package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// The ages at which a source counts as settled, for tests.
const (
	ClockResolution  = clockResolution
	CoarseResolution = coarseResolution
)

// Waiting returns the number of requests that wait for a result to be rendered.
func (s *Server) Waiting() int { return s.flights.Waiting() }

// WaitingForExamples returns the number of requests that wait for an example of the documentation to be rendered.
func (s *Server) WaitingForExamples() int { return s.docsExamples.Waiting() }

// FromCache answers a request, as it is on the wire, from the response cache; ok is false if it has no response that
// applies.
func (s *Server) FromCache(request string) (status int, body string, ok bool) {
	c := requestOf(request)
	held := s.filesInUse.Hold()
	defer held.Release()
	ok = s.responses.Send(held.With(context.Background()), c) != nil
	return c.Response.StatusCode(), string(c.Response.Body()), ok
}

// CacheAllocations returns how often memory is allocated to check the header of a request and to answer it from the
// response cache.
func (s *Server) CacheAllocations(request string) float64 {
	c := requestOf(request)
	held := s.filesInUse.Hold()
	defer held.Release()
	ctx := held.With(context.Background())
	return testing.AllocsPerRun(100, func() {
		c.Response.Reset()
		checkReceived(&c.Request.Header)
		if headerFault(c) != nil || s.responses.Send(ctx, c) == nil {
			panic("the response is not cached")
		}
	})
}

// requestOf parses a request that is as on the wire.
func requestOf(text string) *fasthttp.RequestCtx {
	c := &fasthttp.RequestCtx{}
	c.Init(&fasthttp.Request{}, nil, nil)
	if err := c.Request.Read(bufio.NewReader(strings.NewReader(text))); err != nil {
		panic(err)
	}
	return c
}

// NewBody returns a body that is read from a connection, and has that time for each part.
func NewBody(conn net.Conn, timeout time.Duration) io.Reader {
	return &body{r: conn, conn: conn, timeout: timeout}
}

// EndBody sets when all bytes of a body must have arrived.
func EndBody(b io.Reader, end time.Time) { b.(*body).end = end }

// BodyUntil returns when the current time of a body ends.
func BodyUntil(b io.Reader) time.Time { return b.(*body).until }

// Bodies returns how many bytes of bodies are counted.
func (s *Server) Bodies() int64 { return s.bodyBytes.Load() }
