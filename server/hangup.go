package server

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
)

// hangupInterval is how often a connection is looked at while its answer is being made.
const hangupInterval = 100 * time.Millisecond

// requestContext returns a context that ends with the timeout, or when the client hangs up. stop must
// be called. Fiber's own context ends with neither.
func requestContext(c *fiber.Ctx, timeout time.Duration) (ctx context.Context, stop func()) {
	conn, ok := c.Context().Conn().(syscall.Conn)
	if !ok {
		return lazily(c.UserContext(), timeout, func(context.CancelFunc) func() { return func() {} })
	}
	return lazily(c.UserContext(), timeout, func(cancel context.CancelFunc) func() {
		raw, err := conn.SyscallConn()
		if err != nil {
			return func() {}
		}
		w := &watcher{raw: raw, cancel: cancel}
		w.start()
		return w.stop // the connection belongs to the next request after this one
	})
}

// watcher looks at a connection from time to time. It has no goroutine of its own: most answers are there
// before the first look.
type watcher struct {
	raw    syscall.RawConn
	cancel context.CancelFunc

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func (w *watcher) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(hangupInterval, w.look)
}

func (w *watcher) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if hungUp(w.raw) {
		w.cancel()
		return
	}
	w.timer.Reset(hangupInterval)
}

// stop returns when nobody looks at the connection any more.
func (w *watcher) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}

// hungUp peeks without taking anything: no data and no error is the end of the stream.
func hungUp(raw syscall.RawConn) bool {
	gone := false
	var one [1]byte
	err := raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		gone = n == 0 && err == nil || err == syscall.ECONNRESET || err == syscall.EPIPE
	})
	return gone || err != nil
}

var _ syscall.Conn = (*net.TCPConn)(nil)
