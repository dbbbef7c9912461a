// Package connection counts and times what connections send, and ends those whose clients do not read.
package connection

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/safelight/safelight/server/metrics"
)

// Config is what connections need. Metrics and Writing are required.
type Config struct {
	Metrics      *metrics.Metrics
	Writing      *atomic.Int64 // counts the writes in progress
	WriteTimeout time.Duration // a write fails if the client stops reading for so long
	IdleTimeout  time.Duration // how long to wait for the next request after one that Answer has answered
	Answer       Answer        // nil: fasthttp reads all requests
}

// Listen returns a listener whose connections count sent bytes and the time that takes: Fiber writes a response after the handlers have
// returned.
func Listen(l net.Listener, c Config) net.Listener { return listener{l, c} }

type listener struct {
	net.Listener
	config Config
}

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return newConn(tcp, l.config), nil
	}
	return c, err
}

// conn embeds net.Conn instead of net.TCPConn, whose ReadFrom would bypass Write. As in net/http, one goroutine reads and writes it.
type conn struct {
	net.Conn
	config  Config
	tcp     *net.TCPConn
	writer  stallWriter
	asked   bool // at least one byte was read
	body    body
	follows []byte // what the next write sends behind its own bytes
	direct  direct

	wanted, set time.Time // read deadlines: that of the server, and the system's, which may be earlier
}

func newConn(tcp *net.TCPConn, config Config) *conn {
	c := &conn{Conn: tcp, config: config, tcp: tcp, writer: stallWriter{conn: tcp, timeout: config.WriteTimeout, queued: func() int { return queuedIn(tcp) }}}
	c.body.conn = c
	if peer, ok := tcp.RemoteAddr().(*net.TCPAddr); ok {
		c.direct.peer = peer.AddrPort().Addr().Unmap()
	}
	return c
}

// SyscallConn implements syscall.Conn: the disconnect check needs the file descriptor.
func (c *conn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }

// SetReadDeadline leaves an earlier deadline to the system, which Read prolongs if it passes: the server moves it twice for a request, and
// nearly never is it reached.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.wanted = t
	if !c.set.IsZero() && (t.IsZero() || !t.Before(c.set)) {
		return nil
	}
	c.set = t
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline is for both directions. A deadline for writes lasts until the next write.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Read returns what fasthttp is to read: not the requests that are answered here.
func (c *conn) Read(p []byte) (int, error) {
	for {
		n, err := c.read(p)
		if err != nil || !c.direct.between || c.config.Answer == nil {
			return n, err
		}
		answered, err := c.answer(p[:n])
		if err != nil {
			return 0, err
		}
		if !answered {
			return n, nil
		}
	}
}

// read reports a read timeout on a connection that has sent nothing as its end. Clients open connections in advance, and
// would take a 408 for the response to a request that they send at that moment.
func (c *conn) read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for errors.Is(err, os.ErrDeadlineExceeded) && n == 0 && !c.set.Equal(c.wanted) {
		c.set = c.wanted
		if err := c.Conn.SetReadDeadline(c.wanted); err != nil {
			return 0, err
		}
		n, err = c.Conn.Read(p)
	}
	c.asked = c.asked || n > 0
	if !c.asked && errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// Write counts and sends p, and what follows it.
func (c *conn) Write(p []byte) (int, error) {
	follows := c.follows
	c.follows = nil
	n, _, err := c.send(p, follows, time.Now())
	return min(n, len(p)), err
}

// send sends p and what follows it from start on, and returns when that ended. If the client stops reading, it resets the connection: closing it would
// leave the unread bytes to the system.
func (c *conn) send(p, follows []byte, start time.Time) (n int, end time.Time, err error) {
	c.config.Writing.Add(1)
	defer c.config.Writing.Add(-1)
	n, err = c.writer.write(p, follows, start)
	if errors.Is(err, errStalled) {
		_ = c.tcp.SetLinger(0) // without it the connection closes all the same, later
	}
	took := time.Since(start)
	c.config.Metrics.Sent(n, took)
	return n, start.Add(took), err
}
