package server

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// scriptedConn accepts some bytes at each write and then times out, as its script says.
type scriptedConn struct {
	net.Conn
	accepts, queues []int
}

func (c *scriptedConn) SetWriteDeadline(time.Time) error { return nil }

func (c *scriptedConn) Write(p []byte) (int, error) {
	n := min(len(p), c.accepts[0])
	c.accepts = c.accepts[1:]
	if n == len(p) {
		return n, nil
	}
	return n, os.ErrDeadlineExceeded
}

func (c *scriptedConn) queued() int {
	q := c.queues[0]
	c.queues = c.queues[1:]
	return q
}

// TestProgress: bytes that the system takes or the client acknowledges extend the time; fewer than minProgress end it.
func TestProgress(t *testing.T) {
	const k = 1 << 10
	for name, c := range map[string]struct {
		accepts, queues []int
		sent            int
		stalled         bool
	}{
		"at once":                           {[]int{100 * k}, nil, 100 * k, false},
		"slow, the buffer drains":           {[]int{40 * k, 0, 0, 60 * k}, []int{90 * k, 60 * k, 30 * k}, 100 * k, false},
		"slow, the buffer takes more":       {[]int{40 * k, 20 * k, 20 * k, 20 * k}, []int{90 * k, 90 * k, 90 * k}, 100 * k, false},
		"reads nothing":                     {[]int{40 * k, 0}, []int{90 * k, 90 * k}, 40 * k, true},
		"reads a byte now and then":         {[]int{40 * k, 0}, []int{90 * k, 90*k - 1}, 40 * k, true},
		"stops in the middle":               {[]int{40 * k, 0, 0}, []int{90 * k, 50 * k, 50 * k}, 40 * k, true},
		"the buffer fills, nothing is read": {[]int{40 * k, 20 * k}, []int{60 * k, 80 * k}, 60 * k, true},
	} {
		conn := &scriptedConn{accepts: c.accepts, queues: c.queues}
		sent, err := stallWriter{conn, time.Second, conn.queued}.write(make([]byte, 100*k))
		if sent != c.sent || errors.Is(err, errStalled) != c.stalled || !c.stalled && err != nil {
			t.Errorf("%s: %d bytes, %v; expected %d, stalled %t", name, sent, err, c.sent, c.stalled)
		}
	}
}
