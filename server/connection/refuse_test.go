package connection

import (
	"bytes"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fullListener returns a listener at its limit. It accepts nothing before accept is called.
func fullListener(t *testing.T) (l *Listener, accept func()) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l = Listen(inner, Config{Writing: new(atomic.Int64), Limits: Limits{All: 1}})
	l.registry.open[&conn{}] = struct{}{} // the server works for it
	var accepting sync.WaitGroup
	t.Cleanup(func() { _ = inner.Close(); accepting.Wait() })
	return l, func() {
		accepting.Go(func() {
			if c, err := l.Accept(); err == nil {
				t.Errorf("%s was accepted", c.RemoteAddr())
			}
		})
	}
}

// knock connects.
func knock(t *testing.T, l *Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// request sends a request with a long body.
func request(t *testing.T, c net.Conn) {
	t.Helper()
	text := "POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n" + strings.Repeat("x", 50_000)
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// expectRefusal fails unless the connection ends after a 503, without a reset.
func expectRefusal(t *testing.T, c net.Conn) {
	t.Helper()
	response, err := io.ReadAll(c)
	if err != nil || !bytes.HasPrefix(response, []byte("HTTP/1.1 503 ")) ||
		!bytes.Contains(response, []byte("Retry-After: 1\r\n")) || !bytes.HasSuffix(response, []byte("}")) {
		t.Errorf("%q, %v", response, err)
	}
}

// TestRefusedRequest: a client whose connection is refused reads the response, although the server does not read its
// request, be it sent before or after the refusal.
func TestRefusedRequest(t *testing.T) {
	l, accept := fullListener(t)
	early, late := knock(t, l), knock(t, l)
	request(t, early)
	accept()
	expectRefusal(t, early)
	for _, refused := l.Stats(); refused < 2; _, refused = l.Stats() {
		runtime.Gosched()
	}
	request(t, late)
	expectRefusal(t, late)
}

// TestRefusedCrowd: few refused connections read on at once, for a limited time, whatever their clients do. Clients of
// further ones read the response, too, if they have sent their requests.
func TestRefusedCrowd(t *testing.T) {
	l, accept := fullListener(t)
	l.refuser.draining = make(chan struct{}, 1)
	l.refuser.drainTime = 200 * time.Millisecond
	silent, next := knock(t, l), knock(t, l)
	request(t, next)
	accept()
	expectRefusal(t, silent) // it has the only place, and does not close
	expectRefusal(t, next)
	select {
	case l.refuser.draining <- struct{}{}:
	case <-time.After(time.Minute):
		t.Error("a client that does not close its connection keeps its place")
	}
}
