package connection

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// A refused connection keeps reading until its client has closed it. The system resets a connection that is closed
// with unread bytes, and the client might then see the reset instead of the response. The limits keep refused
// connections from holding more than a few file descriptors and goroutines, however many clients are refused.
const (
	maxDraining = 128 // connections
	drainTime   = 2 * time.Second
	drainBytes  = 256 << 10
)

// refuser tells clients why their connections are refused.
type refuser struct {
	draining  chan struct{} // holds one element for each refused connection that is still being read
	drainTime time.Duration
}

func newRefuser() *refuser {
	return &refuser{draining: make(chan struct{}, maxDraining), drainTime: drainTime}
}

// refuse responds with 503 and returns at once. A goroutine then keeps reading for a while before it closes the
// connection, unless too many are doing so already.
func (r *refuser) refuse(c *net.TCPConn, why error) {
	body := fmt.Sprintf(`{"error":"OVERLOADED","message":%q}`, why.Error())
	_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // the system's buffer is empty, so the response fits
	_, _ = fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\n"+
		"Connection: close\r\nRetry-After: 1\r\nCache-Control: no-store\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)

	select {
	case r.draining <- struct{}{}:
		go func() {
			drain(c, r.drainTime, drainBytes)
			_ = c.Close()
			<-r.draining
		}()
	default:
		discardReceived(c) // most requests have arrived by now
		_ = c.Close()
	}
}

// discardReceived reads what the system has received for a connection, up to 64 KiB, without waiting for more.
func discardReceived(c *net.TCPConn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	buffer := make([]byte, 64<<10)
	_ = raw.Read(func(fd uintptr) bool {
		_, _ = unix.Read(int(fd), buffer) // it fails with EAGAIN if nothing has arrived
		return true
	})
}
