package server

import (
	"context"
	"net"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
)

// hangupInterval is how often a connection is looked at while its answer is being made.
const hangupInterval = 100 * time.Millisecond

// requestContext returns a context that ends with the timeout, or when the client hangs up. stop must
// be called. Fiber's own context ends with neither.
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
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch(ctx, cancel, raw)
	}()
	return ctx, func() {
		cancel()
		<-watched // the connection belongs to the next request after this one
	}
}

func watch(ctx context.Context, cancel context.CancelFunc, raw syscall.RawConn) {
	tick := time.NewTicker(hangupInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if hungUp(raw) {
				cancel()
				return
			}
		}
	}
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
