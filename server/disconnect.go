package server

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
)

// disconnectInterval is how often a connection is checked while its response is being prepared.
const disconnectInterval = 100 * time.Millisecond

// requestContext returns a context that ends after the timeout or when the client disconnects. Fiber's own context
// ends in neither case. The caller must call stop.
func requestContext(c *fiber.Ctx, timeout time.Duration) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithTimeout(c.UserContext(), timeout)
	conn, ok := c.Context().Conn().(syscall.Conn)
	if !ok {
		return ctx, cancel
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return ctx, cancel
	}
	w := &connWatcher{raw: raw, cancel: cancel}
	w.start()
	return ctx, func() {
		w.stop() // from now on the connection belongs to the next request
		cancel()
	}
}

// connWatcher polls a connection. It uses a timer instead of a goroutine: most responses are ready before the first
// check.
type connWatcher struct {
	raw    syscall.RawConn
	cancel context.CancelFunc

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func (w *connWatcher) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(disconnectInterval, w.check)
}

func (w *connWatcher) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if isDisconnected(w.raw) {
		w.cancel()
		return
	}
	w.timer.Reset(disconnectInterval)
}

// stop ends the polling and waits for a check in progress.
func (w *connWatcher) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}

// isDisconnected peeks at the stream without consuming it. No data and no error means that the client has closed it.
func isDisconnected(raw syscall.RawConn) bool {
	gone := false
	var one [1]byte
	err := raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		gone = n == 0 && err == nil || err == syscall.ECONNRESET || err == syscall.EPIPE
	})
	return gone || err != nil
}

var _ syscall.Conn = (*net.TCPConn)(nil)
