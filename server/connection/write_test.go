package connection

import (
	"bytes"
	"errors"
	"io"
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
		"at once": {[]int{100 * k}, nil, 100 * k, false},
		"slow, the buffer drains": {[]int{40 * k, 0, 0, 60 * k}, []int{90 * k, 60 * k, 30 * k}, 100 * k,
			false},
		"slow, the buffer takes more": {[]int{40 * k, 20 * k, 20 * k, 20 * k}, []int{90 * k, 90 * k, 90 * k},
			100 * k, false},
		"reads nothing":                     {[]int{40 * k, 0}, []int{90 * k, 90 * k}, 40 * k, true},
		"reads a byte now and then":         {[]int{40 * k, 0}, []int{90 * k, 90*k - 1}, 40 * k, true},
		"stops in the middle":               {[]int{40 * k, 0, 0}, []int{90 * k, 50 * k, 50 * k}, 40 * k, true},
		"the buffer fills, nothing is read": {[]int{40 * k, 20 * k}, []int{60 * k, 80 * k}, 60 * k, true},
	} {
		conn := &scriptedConn{accepts: c.accepts, queues: c.queues}
		w := stallWriter{conn: conn, timeout: time.Second, queued: conn.queued}
		sent, err := w.write(make([]byte, 100*k), nil, time.Now())
		if sent != c.sent || errors.Is(err, errStalled) != c.stalled || !c.stalled && err != nil {
			t.Errorf("%s: %d bytes, %v; expected %d, stalled %t", name, sent, err, c.sent, c.stalled)
		}
	}
}

// pieceConn accepts a few bytes at each write and then times out.
type pieceConn struct {
	net.Conn
	got    []byte
	pieces int
}

func (c *pieceConn) SetWriteDeadline(time.Time) error { return nil }

func (c *pieceConn) Write(p []byte) (int, error) {
	n := min(len(p), 3+c.pieces%5)
	if c.pieces++; c.pieces > 100 {
		return 0, io.ErrShortWrite
	}
	c.got = append(c.got, p[:n]...)
	if n == len(p) {
		return n, nil
	}
	return n, os.ErrDeadlineExceeded
}

// TestTwoParts: what follows is sent behind the rest, wherever the writes before have ended.
func TestTwoParts(t *testing.T) {
	for first := range 12 {
		c, p, follows := &pieceConn{}, pattern(first+1), pattern(20)
		// the client reads
		w := stallWriter{conn: c, timeout: time.Second, queued: func() int { return -c.pieces * minProgress }}
		if sent, err := w.write(p, follows, time.Now()); err != nil || sent != len(p)+len(follows) ||
			!bytes.Equal(c.got, append(p, follows...)) {
			t.Errorf("%d and 20 bytes: %d, %v: %v", len(p), sent, err, c.got)
		}
	}
}

// timedConn is a client that accepts nothing, and a system that ends a write when its deadline has passed.
type timedConn struct {
	net.Conn
	deadlines []time.Time
}

func (c *timedConn) SetWriteDeadline(t time.Time) error {
	c.deadlines = append(c.deadlines, t)
	return nil
}

func (c *timedConn) Write([]byte) (int, error) {
	time.Sleep(time.Until(c.deadlines[len(c.deadlines)-1]))
	return 0, os.ErrDeadlineExceeded
}

// TestDeadlineOfTheWriteBefore: a write has all of its time, although the deadline of the previous write is not moved
// at once.
func TestDeadlineOfTheWriteBefore(t *testing.T) {
	c := &timedConn{}
	const timeout = 40 * time.Millisecond
	w := stallWriter{conn: c, timeout: timeout, queued: func() int { return 1 << 20 }}
	w.deadline = time.Now().Add(timeout / 2)
	c.deadlines = []time.Time{w.deadline}
	start := time.Now()
	if _, err := w.write([]byte("x"), nil, start); !errors.Is(err, errStalled) {
		t.Errorf("%v", err)
	}
	if took := time.Since(start); took < 2*timeout || len(c.deadlines) != 3 {
		t.Errorf("stalled after %s and %d deadlines, expected twice the timeout", took, len(c.deadlines)-1)
	}
}
