package server

import (
	"bufio"
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/lines"
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

// Direct sends a request, as it is on the wire, to what answers before fasthttp; ok is false if it leaves it to fasthttp.
func (s *Server) Direct(peer, request string) (response string, ok bool) {
	head, body, _, ok := (again{s}).connections().Answer(netip.MustParseAddr(peer), []byte(request), nil)
	return string(head) + string(body), ok
}

// AgainAllocations returns how often memory is allocated to answer a request again, by fasthttp and before it, if the log takes lines.
func (s *Server) AgainAllocations(request string) (after, before float64) {
	var c fasthttp.RequestCtx
	c.Init(&fasthttp.Request{}, nil, nil)
	if err := c.Request.Read(bufio.NewReader(strings.NewReader(request))); err != nil {
		panic(err)
	}
	log := s.lines
	defer func() { s.lines = log }()
	s.lines = lines.New(slog.New(discarding{slog.DiscardHandler}))
	after = testing.AllocsPerRun(100, func() {
		c.Response.Reset()
		if !(again{s}).replay(&c) {
			panic("the answer is not sent again")
		}
	})
	peer, head, wire := netip.MustParseAddr("192.0.2.1"), []byte(nil), []byte(request)
	return after, testing.AllocsPerRun(100, func() {
		var ok bool
		if head, _, _, ok = (again{s}).answer(peer, wire, head[:0]); !ok {
			panic("the answer is left to fasthttp")
		}
	})
}

// discarding takes lines and does nothing.
type discarding struct{ slog.Handler }

func (discarding) Enabled(context.Context, slog.Level) bool { return true }

func (discarding) WriteRequest(time.Time, []byte) error { return nil }
