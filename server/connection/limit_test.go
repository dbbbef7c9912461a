package connection

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// crowd opens connections to a listener with those limits.
type crowd struct {
	*testing.T
	listener *Listener
	accepted chan *conn
}

func newCrowd(t *testing.T, l Limits) *crowd {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{t, Listen(inner, Config{Writing: new(atomic.Int64), Limits: l}), make(chan *conn, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			accepted, err := c.listener.Accept()
			if err != nil {
				return
			}
			c.accepted <- accepted.(*conn)
		}
	}()
	t.Cleanup(func() { _ = inner.Close(); <-done })
	return c
}

// enter connects, and returns the server's end; nil if it was refused, with the answer.
func (c *crowd) enter() (client net.Conn, accepted *conn, answer string) {
	c.Helper()
	client, err := net.Dial("tcp", c.listener.Addr().String())
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { _ = client.Close() })
	refused := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(client)
		refused <- string(b)
	}()
	select {
	case accepted = <-c.accepted:
		c.Cleanup(func() { _ = accepted.Close() })
	case answer = <-refused:
	}
	return client, accepted, answer
}

// isClosed reports whether the server has closed its end.
func isClosed(c *conn) bool { return errors.Is(c.tcp.SetDeadline(time.Time{}), net.ErrClosed) }

// TestLimits: at a limit the connection that has waited for the longest time is closed for a new one; if all are busy,
// the new one gets an answer. A connection that closes makes room.
func TestLimits(t *testing.T) {
	for name, limits := range map[string]Limits{"all": {All: 2}, "of a client": {PerClient: 2}} {
		t.Run(name, func(t *testing.T) {
			c := newCrowd(t, limits)
			_, first, _ := c.enter()
			_, second, _ := c.enter()
			first.idle.Store(2)
			second.idle.Store(1)
			_, third, _ := c.enter()
			if third == nil || isClosed(first) || !isClosed(second) {
				t.Fatalf(
					"the third: %v, the first is closed: %t, the second: %t", third, isClosed(first),
					isClosed(second),
				)
			}
			first.idle.Store(0)
			third.idle.Store(0)
			_, fourth, answer := c.enter()
			if fourth != nil || !strings.HasPrefix(answer, "HTTP/1.1 503 ") ||
				!strings.Contains(answer, `"error":"OVERLOADED"`) ||
				!strings.Contains(answer, "Connection: close\r\n") {
				t.Fatalf("the fourth: %v %q", fourth, answer)
			}
			if open, refused := c.listener.Stats(); open != 2 || refused != 1 {
				t.Errorf("%d open, %d refused", open, refused)
			}
			_ = first.Close()
			if _, fifth, answer := c.enter(); fifth == nil {
				t.Errorf("the fifth: %s", answer)
			}
		})
	}
}

// TestExempt: proxies are not limited as one client.
func TestExempt(t *testing.T) {
	c := newCrowd(t, Limits{PerClient: 1, Exempt: netip.Addr.IsLoopback})
	for range 3 {
		_, accepted, answer := c.enter()
		if accepted == nil {
			t.Fatal(answer)
		}
		accepted.idle.Store(0)
	}
}

// addressed is a connection with that other end.
type addressed struct {
	net.Conn
	peer string
}

func (a addressed) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(a.peer), 1))
}

// TestClients: one client is an IPv4 address or a /64 of IPv6.
func TestClients(t *testing.T) {
	for peer, want := range map[string]string{
		"192.0.2.7": "192.0.2.7/32", "::ffff:192.0.2.7": "192.0.2.7/32", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64",
	} {
		if _, client := peerOf(addressed{peer: peer}); client.String() != want {
			t.Errorf("%s: %s, expected %s", peer, client, want)
		}
	}
}

// scarce is a listener that first has no file descriptor, then accepts.
type scarce struct {
	net.Listener
	errors []error
}

func (s *scarce) Accept() (net.Conn, error) {
	if len(s.errors) > 0 {
		err := s.errors[0]
		s.errors = s.errors[1:]
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
	}
	return nil, net.ErrClosed
}

// TestNoDescriptors: a server without file descriptors for another connection goes on, and closes one that waits.
func TestNoDescriptors(t *testing.T) {
	c := newCrowd(t, Limits{})
	_, waits, _ := c.enter()
	l := &Listener{
		&scarce{errors: []error{syscall.EMFILE, syscall.ENFILE}},
		c.listener.config,
		c.listener.registry,
		c.listener.refuser,
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, expected the listener's end", err)
	}
	if !isClosed(waits) {
		t.Error("the connection that waits is open")
	}
}
