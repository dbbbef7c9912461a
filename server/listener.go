package server

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// countingListener is a listener whose connections count sent bytes and the time that takes: Fiber writes a response after the
// handlers have returned.
type countingListener struct {
	net.Listener
	metrics *metrics
}

// Accept waits for the next connection.
func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &countingConn{TCPConn: tcp, metrics: l.metrics}, nil
	}
	return c, err
}

// countingConn embeds net.TCPConn: the disconnect check needs its file descriptor.
type countingConn struct {
	*net.TCPConn
	metrics *metrics
	asked   bool // at least one byte was read
}

// Read reports a read timeout on a connection that has sent nothing as its end. Clients open connections in advance, and
// would take a 408 for the response to a request that they send at that moment.
func (c *countingConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.asked = c.asked || n > 0
	if !c.asked && errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// Write counts and sends p.
func (c *countingConn) Write(p []byte) (int, error) {
	start := time.Now()
	n, err := c.TCPConn.Write(p)
	c.metrics.stage(stageWrite, time.Since(start))
	c.metrics.sent.Add(float64(n))
	return n, err
}
