package connection

import (
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// Answer answers a request of that peer, which has come as these bytes and nothing behind them, before fasthttp reads it. It appends the header of the response to
// head, and returns it with the body, which does not change, and the time. ok is false for a request that fasthttp is to read.
type Answer func(peer netip.Addr, request, head []byte) (_, body []byte, at time.Time, ok bool)

// direct is what a connection needs to answer requests before fasthttp.
type direct struct {
	peer    netip.Addr
	between bool   // fasthttp waits for a request, and has read nothing of it
	head    []byte // kept for the next header
	state   atomic.Int32
}

// The states of a connection. To fasthttp it waits for a request while it answers one here, and a server that stops closes connections that wait.
const (
	waiting   = iota
	answering // of this package; fasthttp knows about its own
	ending    // is closed when it has answered
	closed
)

// State is the hook by which fasthttp tells what its connections do.
func State(c net.Conn, s fasthttp.ConnState) {
	if c, ok := c.(*conn); ok {
		c.direct.between = s == fasthttp.StateIdle // ends before it reads a request whose first byte it has: a Read in between finds its buffers empty
	}
}

// answer answers a request if Answer does. After an error the connection is of no use.
func (c *conn) answer(request []byte) (answered bool, err error) {
	d := &c.direct
	if !d.state.CompareAndSwap(waiting, answering) {
		return false, net.ErrClosed
	}
	head, body, at, answered := c.config.Answer(d.peer, request, d.head[:0])
	if answered {
		if len(body) < minUncopied {
			head, body = append(head, body...), nil
		}
		d.head = head
		_, at, err = c.send(head, body, at)
		c.wanted = at.Add(c.config.IdleTimeout)
	}
	if !d.state.CompareAndSwap(answering, waiting) {
		d.state.Store(closed) // by fasthttp, after this error
		return answered, net.ErrClosed
	}
	return answered, err
}

// Close closes the connection, after the response that it sends.
func (c *conn) Close() error {
	for {
		switch s := c.direct.state.Load(); s {
		case answering:
			if c.direct.state.CompareAndSwap(answering, ending) {
				return nil
			}
		case ending:
			return nil
		default:
			if c.direct.state.CompareAndSwap(s, closed) {
				return c.Conn.Close()
			}
		}
	}
}
