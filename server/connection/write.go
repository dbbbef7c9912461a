package connection

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// minProgress is how many bytes a client must accept within a write timeout.
const minProgress = 16 << 10

// errStalled ends a response whose client does not read.
var errStalled = errors.New("the client does not read the response")

// stallWriter writes to a connection as long as its client accepts bytes. The total time of a response is not limited:
// a large file over a slow line may take hours.
type stallWriter struct {
	conn    net.Conn
	timeout time.Duration
	queued  func() int // bytes that the system holds and the client has not acknowledged

	deadline time.Time // deadline set on the connection; the one of an earlier write remains
	both     [2][]byte
	left     net.Buffers // the unsent rest of p and of what follows it
}

// write sends p and then follows, starting at now. It returns errStalled if the client accepts fewer than minProgress
// bytes within the timeout; the system's buffer can delay that by one more timeout.
func (w *stallWriter) write(p, follows []byte, now time.Time) (sent int, err error) {
	last := -1 // unknown
	if len(follows) > 0 {
		w.both = [2][]byte{p, follows}
		w.left = w.both[:]
		defer func() { w.both, w.left = [2][]byte{}, nil }()
	}
	for began := now; ; {
		if !w.deadline.After(now) {
			w.deadline = now.Add(w.timeout)
			if err := w.conn.SetWriteDeadline(w.deadline); err != nil {
				return sent, err
			}
		}
		n, err := w.some(p[min(sent, len(p)):], follows)
		sent += n
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return sent, err
		}
		if end := began.Add(w.timeout); w.deadline.Before(end) { // the deadline may be that of an earlier write
			w.deadline = end
			if err := w.conn.SetWriteDeadline(end); err != nil {
				return sent, err
			}
			continue
		}
		queued := w.queued()
		if last >= 0 && n+last-queued < minProgress {
			return sent, errStalled
		}
		last, now = queued, time.Now()
		began, w.deadline = now, time.Time{}
	}
}

// some writes the rest of a response in one call: p, or left if something follows it.
func (w *stallWriter) some(p, follows []byte) (int, error) {
	if len(follows) == 0 {
		return w.conn.Write(p)
	}
	n, err := w.left.WriteTo(w.conn)
	return int(n), err
}

// queuedIn returns the number of sent bytes that the other side of a connection has not acknowledged; 0 if the system
// does not report it.
func queuedIn(conn syscall.Conn) int {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0
	}
	queued := 0
	if err := raw.Control(func(fd uintptr) {
		if n, err := unix.IoctlGetInt(int(fd), unix.TIOCOUTQ); err == nil {
			queued = n
		}
	}); err != nil {
		return 0
	}
	return queued
}
