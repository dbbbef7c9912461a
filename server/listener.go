package server

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/safelight/safelight/server/metrics"
)

// countingListener is a listener whose connections count sent bytes and the time that takes: Fiber writes a response after the
// handlers have returned.
type countingListener struct {
	net.Listener
	metrics      *metrics.Metrics
	writeTimeout time.Duration
}

// Accept waits for the next connection.
func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &countingConn{Conn: tcp, tcp: tcp, metrics: l.metrics, writeTimeout: l.writeTimeout}, nil
	}
	return c, err
}

// countingConn embeds net.Conn instead of net.TCPConn, whose ReadFrom would bypass Write.
type countingConn struct {
	net.Conn
	tcp          *net.TCPConn
	metrics      *metrics.Metrics
	writeTimeout time.Duration
	asked        bool // at least one byte was read
}

// SyscallConn implements syscall.Conn: the disconnect check needs the file descriptor.
func (c *countingConn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }

// Read reports a read timeout on a connection that has sent nothing as its end. Clients open connections in advance, and
// would take a 408 for the response to a request that they send at that moment.
func (c *countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.asked = c.asked || n > 0
	if !c.asked && errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// Write counts and sends p. If the client stops reading, it resets the connection: closing it would leave the unread bytes to
// the system.
func (c *countingConn) Write(p []byte) (int, error) {
	start := time.Now()
	n, err := stallWriter{c.Conn, c.writeTimeout, func() int { return queuedIn(c.tcp) }}.write(p)
	if errors.Is(err, errStalled) {
		_ = c.tcp.SetLinger(0) // without it the connection closes all the same, later
	}
	c.metrics.Stage(metrics.Write, time.Since(start))
	c.metrics.Sent(n)
	return n, err
}
