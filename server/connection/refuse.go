package connection

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// A refused connection reads on until its client has closed it, as the system would reset a connection that is closed
// with unread bytes, and the client might see the reset instead of the response. The limits keep refused connections
// from holding more than a few file descriptors and goroutines, however many there are.
const (
	maxDraining = 128 // connections
	drainTime   = 2 * time.Second
	drainBytes  = 256 << 10
)

// refuser tells clients why their connections close.
type refuser struct {
	draining  chan struct{} // holds one for each connection that reads on
	drainTime time.Duration
}

func newRefuser() *refuser {
	return &refuser{draining: make(chan struct{}, maxDraining), drainTime: drainTime}
}

// refuse responds with 503 and returns at once. A goroutine reads on for a while before it closes the connection,
// unless too many do so already.
func (r *refuser) refuse(c *net.TCPConn, why error) {
	body := fmt.Sprintf(`{"error":"OVERLOADED","message":%q}`, why.Error())
	_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // the system's buffer is empty and holds it
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
		discardReceived(c) // most requests are here by now
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
		_, _ = unix.Read(int(fd), buffer) // fails with EAGAIN if there is nothing
		return true
	})
}
