package connection

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// connected returns both ends of a connection, which the test closes.
func connected(t *testing.T) (client, accepted net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if accepted, err = Listen(l, Config{Writing: new(atomic.Int64)}).Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = accepted.Close() })
	return client, accepted
}

// TestUnusedConnectionEndsSilently: an unused connection times out without a response, and one with a partial request
// gets one.
func TestUnusedConnectionEndsSilently(t *testing.T) {
	client, conn := connected(t)
	expire := func() error {
		if err := conn.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
		_, err := conn.Read(make([]byte, 1))
		return err
	}
	if err := expire(); err != io.EOF {
		t.Errorf("nothing was asked: %v, expected the end", err)
	}
	if _, err := client.Write([]byte("G")); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 1 {
		t.Fatal(n, err)
	}
	if err := expire(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a request has begun: %v, expected its time to be over", err)
	}
}

// TestDeadlineMoves: a deadline that was moved on counts, not the one that the system still has; one that was moved
// back, too.
func TestDeadlineMoves(t *testing.T) {
	client, c := connected(t)
	c.(*conn).asked = true
	const soon, later = 20 * time.Millisecond, time.Hour
	for name, deadlines := range map[string][]time.Duration{
		"moved on": {soon, later}, "moved on twice": {soon, 2 * soon, later}, "taken away": {soon, -1},
		"set again": {soon, -1, later},
	} {
		start := time.Now()
		for _, d := range deadlines {
			at := start.Add(d)
			if d < 0 {
				at = time.Time{}
			}
			if err := c.SetReadDeadline(at); err != nil {
				t.Fatal(err)
			}
		}
		time.AfterFunc(3*soon, func() { _, _ = client.Write([]byte("x")) })
		if n, err := c.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("%s: %d, %v, expected the byte", name, n, err)
		}
	}
	for name, deadlines := range map[string][]time.Duration{
		"moved back": {later, soon}, "moved on a little": {soon, 2 * soon}} {
		start := time.Now()
		for _, d := range deadlines {
			if err := c.SetReadDeadline(start.Add(d)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) ||
			time.Since(start) < deadlines[len(deadlines)-1] {
			t.Errorf("%s: %v after %s", name, err, time.Since(start))
		}
	}
}
