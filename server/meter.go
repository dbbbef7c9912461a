package server

import (
	"net"
	"time"
)

// metered is a listener whose connections count what they send and how long that takes: Fiber writes
// an answer after its handler, where nothing of ours sees it.
type metered struct {
	net.Listener
	metrics *metrics
}

// Accept waits for the next connection.
func (l metered) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return meteredConn{tcp, l.metrics}, nil
	}
	return c, err
}

// meteredConn keeps the methods of net.TCPConn: who hangs up is seen through its descriptor.
type meteredConn struct {
	*net.TCPConn
	metrics *metrics
}

// Write sends p.
func (c meteredConn) Write(p []byte) (int, error) {
	start := time.Now()
	n, err := c.TCPConn.Write(p)
	c.metrics.stage(stageWrite, time.Since(start))
	c.metrics.sent.Add(float64(n))
	return n, err
}
