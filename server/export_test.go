package server

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/accesslog"
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

// AgainAllocations returns how often memory is allocated to check the header of a request and to answer it again, if the log takes lines.
func (s *Server) AgainAllocations(request string) float64 {
	var c fasthttp.RequestCtx
	c.Init(&fasthttp.Request{}, nil, nil)
	if err := c.Request.Read(bufio.NewReader(strings.NewReader(request))); err != nil {
		panic(err)
	}
	before := s.lines
	defer func() { s.lines = before }()
	s.lines = accesslog.New(slog.New(discarding{slog.DiscardHandler}))
	return testing.AllocsPerRun(100, func() {
		c.Response.Reset()
		received(&c.Request.Header)
		if headerFault(&c) != nil || !(again{s}).replay(&c) {
			panic("the answer is not sent again")
		}
	})
}

// discarding takes lines and does nothing.
type discarding struct{ slog.Handler }

func (discarding) Enabled(context.Context, slog.Level) bool { return true }

func (discarding) WriteRequest(time.Time, []byte) error { return nil }

// NewBody returns a body that is read from a connection, and has that time for each part.
func NewBody(conn net.Conn, timeout time.Duration) io.Reader {
	return &body{r: conn, conn: conn, timeout: timeout}
}

// BodyUntil returns when the current time of a body ends.
func BodyUntil(b io.Reader) time.Time { return b.(*body).until }

// Bodies returns how many bytes of bodies are counted.
func (s *Server) Bodies() int64 { return s.bodies.Load() }
