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

// Listen returns a listener whose connections count sent bytes and the time that takes: Fiber writes a response after the handlers have
// returned. A write fails if the client stops reading for the write timeout. writing counts the writes in progress.
func Listen(l net.Listener, m *metrics.Metrics, writing *atomic.Int64, writeTimeout time.Duration) net.Listener {
	return listener{l, m, writing, writeTimeout}
}

type listener struct {
	net.Listener
	metrics      *metrics.Metrics
	writing      *atomic.Int64
	writeTimeout time.Duration
}

// Accept waits for the next connection.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return newConn(tcp, l), nil
	}
	return c, err
}

// conn embeds net.Conn instead of net.TCPConn, whose ReadFrom would bypass Write. As in net/http, one goroutine reads and writes it.
type conn struct {
	net.Conn
	tcp     *net.TCPConn
	metrics *metrics.Metrics
	writing *atomic.Int64
	writer  stallWriter
	asked   bool // at least one byte was read
	body    body
	follows []byte // what the next write sends behind its own bytes

	wanted, set time.Time // read deadlines: that of the server, and the system's, which may be earlier
}

func newConn(tcp *net.TCPConn, l listener) *conn {
	c := &conn{Conn: tcp, tcp: tcp, metrics: l.metrics, writing: l.writing, writer: stallWriter{conn: tcp, timeout: l.writeTimeout, queued: func() int { return queuedIn(tcp) }}}
	c.body.conn = c
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

// Read reports a read timeout on a connection that has sent nothing as its end. Clients open connections in advance, and
// would take a 408 for the response to a request that they send at that moment.
func (c *conn) Read(p []byte) (int, error) {
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

// Write counts and sends p, and what follows it. If the client stops reading, it resets the connection: closing it would leave the unread bytes to
// the system.
func (c *conn) Write(p []byte) (int, error) {
	c.writing.Add(1)
	defer c.writing.Add(-1)
	start, follows := time.Now(), c.follows
	c.follows = nil
	n, err := c.writer.write(p, follows, start)
	if errors.Is(err, errStalled) {
		_ = c.tcp.SetLinger(0) // without it the connection closes all the same, later
	}
	c.metrics.Sent(n, time.Since(start))
	return min(n, len(p)), err
}
