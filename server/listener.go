package server

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// countingListener is a listener whose connections count what they send and how long that takes: Fiber writes
// an answer after its handler, where nothing of ours sees it.
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

// countingConn keeps the methods of net.TCPConn: who hangs up is seen through its descriptor.
type countingConn struct {
	*net.TCPConn
	metrics *metrics
	asked   bool // something has been read
}

// Read makes the time that ends on a connection on which nothing was ever asked, as clients open them ahead, the end of that
// connection: an error sent there would be taken for the answer of the request that comes at that moment.
func (c *countingConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.asked = c.asked || n > 0
	if !c.asked && errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// Write sends p.
func (c *countingConn) Write(p []byte) (int, error) {
	start := time.Now()
	n, err := c.TCPConn.Write(p)
	c.metrics.stage(stageWrite, time.Since(start))
	c.metrics.sent.Add(float64(n))
	return n, err
}
