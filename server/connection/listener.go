// Package connection counts and times the bytes that connections send, limits how many are open, and closes those
// whose clients stop reading.
package connection

import (
	"cmp"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/metrics"
)

// Config is what connections need. Metrics and Writing are required.
type Config struct {
	Metrics      *metrics.Metrics
	Writing      *atomic.Int64 // counts the writes in progress
	WriteTimeout time.Duration // a write fails if the client stops reading for this long
	Limits       Limits
}

// Listen returns a listener whose connections count the bytes that they send and the time that this takes. Fiber
// writes a response only after the handlers have returned, so handlers cannot measure that.
func Listen(l net.Listener, c Config) *Listener {
	return &Listener{l, c, newRegistry(c.Limits), newRefuser()}
}

// Listener is a net.Listener that limits its connections. Make it with Listen.
type Listener struct {
	net.Listener
	config   Config
	registry *registry
	refuser  *refuser
}

// Stats returns how many connections are open, and how many have been refused since the start.
func (l *Listener) Stats() (open int, refused uint64) { return l.registry.stats() }

// acceptPause is how long to wait when the system lacks resources for another connection.
const acceptPause = 10 * time.Millisecond

// Accept waits for the next connection that the limits allow; it answers others with 503 and closes them. When the
// process is out of file descriptors or memory, it closes an idle connection instead of returning an error, which
// would end the server.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if isShortage(err) {
			l.registry.makeRoom()
			time.Sleep(acceptPause)
			continue
		}
		tcp, ok := accepted.(*net.TCPConn)
		if !ok {
			return accepted, err
		}
		c := newConn(tcp, l)
		if err := l.registry.enter(c); err != nil {
			l.refuser.refuse(tcp, err)
			continue
		}
		return c, nil
	}
}

// isShortage reports whether accepting a connection failed for lack of file descriptors or memory.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOBUFS) ||
		errors.Is(err, syscall.ENOMEM)
}

// conn embeds net.Conn instead of net.TCPConn, whose ReadFrom would bypass Write. As in net/http, a single goroutine
// reads and writes it.
type conn struct {
	net.Conn
	config   Config
	registry *registry
	tcp      *net.TCPConn
	peer     netip.Addr
	client   netip.Prefix // peer, or its /64
	written  time.Time    // when the last write finished
	idle     atomic.Int64 // when it began to wait for its client, in Unix ns; 0 while the server works for it
	writer   stallWriter
	header   header
	asked    bool    // at least one byte was read
	tail     [2]byte // the last bytes that were read
	lingers  bool    // the connection keeps reading for a while before it closes
	body     body
	follows  []byte // what the next write appends to its own bytes

	wanted, set time.Time // read deadlines: the server's, and the socket's, which may be earlier
}

func newConn(tcp *net.TCPConn, l *Listener) *conn {
	c := &conn{
		Conn: tcp, config: l.config, registry: l.registry, tcp: tcp,
		writer: stallWriter{conn: tcp, timeout: l.config.WriteTimeout, queued: func() int { return queuedIn(tcp) }},
	}
	c.peer, c.client = peerOf(tcp)
	c.written = time.Now()
	c.idle.Store(c.written.UnixNano())
	c.body.conn = c
	return c
}

// State is the fasthttp hook that reports when a response has been sent, and when reading of a header begins.
func State(c net.Conn, s fasthttp.ConnState) {
	switch c, ok := c.(*conn); {
	case !ok:
	case s == fasthttp.StateIdle:
		c.idle.Store(c.written.UnixNano())
		c.header = header{awaited: true}
	case s == fasthttp.StateActive && c.header.awaited: // fasthttp already has its first bytes
		c.header.done, c.header.pipelined = true, true
	}
}

// SetBusy says whether the server works for r. When a limit is reached, new connections replace idle ones: those that
// wait for the header of a request, and those whose requests are not busy because they wait for a short body.
func SetBusy(r *fasthttp.RequestCtx, busy bool) {
	c, ok := r.Conn().(*conn)
	switch {
	case !ok:
	case busy:
		c.idle.Store(0)
		c.header.pipelined = false // everything that is read from here on belongs to the body
	default:
		c.idle.Store(time.Now().UnixNano())
	}
}

// A connection with an unread body keeps reading before it closes. If it closed at once, the system would reset it,
// and the client might lose the response.
const (
	lingerTime  = 5 * time.Second
	lingerBytes = 16 << 20
)

// Linger makes the connection of r, after the response, read and discard what still arrives for a while. The response
// must close the connection.
func Linger(r *fasthttp.RequestCtx) {
	if c, ok := r.Conn().(*conn); ok {
		c.lingers = true
	}
}

// linger reads until the client closes the connection, or the connection is closed to make room for another.
func (c *conn) linger() {
	c.idle.Store(time.Now().UnixNano())
	drain(c.tcp, lingerTime, lingerBytes)
}

// drain closes the sending side of a connection, and discards what arrives until the client closes its side or a limit
// is reached.
func drain(c *net.TCPConn, limit time.Duration, bytes int64) {
	if c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(limit)) == nil {
		_, _ = io.CopyN(io.Discard, c, bytes)
	}
}

// Close closes the connection.
func (c *conn) Close() error {
	if c.lingers {
		c.linger()
	}
	c.registry.leave(c)
	return c.Conn.Close()
}

// SyscallConn implements syscall.Conn: the disconnect check needs the file descriptor.
func (c *conn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }

// SetReadDeadline keeps an earlier deadline on the socket; Read extends it if it passes. The server moves the deadline
// twice per request, and it is almost never reached, so this saves system calls.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.wanted = t
	if !c.set.IsZero() && (t.IsZero() || !t.Before(c.set)) {
		return nil
	}
	c.set = t
	return c.Conn.SetReadDeadline(t)
}

// SetDeadline sets the deadlines of both directions. A deadline for writes lasts only until the next write.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Read reports EOF instead of a read timeout on a connection that has sent nothing, or that was closed to make room.
// Clients open connections in advance, and would take a 408 for the response to a request that they send at that
// moment.
func (c *conn) Read(p []byte) (int, error) {
	if c.header.isStuck(c.tail) {
		c.header.err = ErrLineFeed
		return 0, ErrLineFeed
	}
	n, err := c.Conn.Read(p)
	for errors.Is(err, os.ErrDeadlineExceeded) && n == 0 && !c.set.Equal(c.wanted) {
		c.set = c.wanted
		if err := c.Conn.SetReadDeadline(c.wanted); err != nil {
			return 0, err
		}
		n, err = c.Conn.Read(p)
	}
	c.asked = c.asked || n > 0
	switch {
	case n == 1:
		c.tail = [2]byte{c.tail[1], p[0]}
	case n > 1:
		c.tail = [2]byte(p[n-2 : n])
	}
	if !c.asked && (errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed)) {
		err = io.EOF
	}
	if n > 0 && !c.header.done {
		err = cmp.Or(c.header.follow(p[:n]), err)
	}
	return n, err
}

// Write counts and sends p, and what follows it. If the client stops reading, Write resets the connection: after a
// plain close, the system would keep the unread bytes.
func (c *conn) Write(p []byte) (int, error) {
	c.config.Writing.Add(1)
	defer c.config.Writing.Add(-1)
	follows, start := c.follows, time.Now()
	c.follows = nil
	n, err := c.writer.write(p, follows, start)
	if errors.Is(err, errStalled) {
		_ = c.tcp.SetLinger(0) // without it the connection still closes, only later
	}
	took := time.Since(start)
	c.written = start.Add(took)
	c.config.Metrics.Sent(n, took)
	return min(n, len(p)), err
}
