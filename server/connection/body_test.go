package connection

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/metrics"
	"github.com/safelight/safelight/timeseries"
)

// bodies are what paths of the test's server answer.
var bodies = map[string][]byte{
	"/small": []byte("small"),
	"/large": pattern(200_000),
	"/huge":  pattern(16 << 20),
	"/usual": pattern(16_000),
}

// pattern returns bytes of which none is like those around it.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7 % 251)
	}
	return b
}

func newMetrics() *metrics.Metrics {
	return metrics.New(metrics.Sources{
		Work:         admission.New(admission.Config{Slots: 1}),
		Hour:         timeseries.New(nil),
		Requests:     func() int64 { return 0 },
		SourceMemory: func() int64 { return 0 },
	})
}

// serve answers with bodies until the test ends, and returns where.
func serve(t *testing.T, timeout time.Duration) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &fasthttp.Server{WriteBufferSize: 64 << 10, Handler: func(c *fasthttp.RequestCtx) {
		if string(c.Path()) == "/copied" {
			c.Response.SetBodyRaw(bodies["/usual"])
			return
		}
		SetBody(c, bodies[string(c.Path())])
	}}
	done := make(chan error, 1)
	go func() {
		done <- s.Serve(Listen(l, Config{Metrics: newMetrics(), Writing: new(atomic.Int64), WriteTimeout: timeout}))
	}()
	t.Cleanup(func() {
		_ = l.Close()
		if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// TestBodies: bodies arrive whole and in order, whatever is asked before the answer is read, in pieces of any size, and
// slowly.
func TestBodies(t *testing.T) {
	address := serve(t, time.Minute)
	for name, c := range map[string]struct {
		paths []string
		piece int           // bytes of requests that are sent at once; 0: all
		pause time.Duration // after each 64 KB that are read
	}{
		"one":               {[]string{"/usual"}, 0, 0},
		"one after another": {[]string{"/usual", "/small", "/large", "/usual"}, 1 << 10, 0},
		"pipelined":         {strings.Fields(strings.Repeat("/usual /small /copied /large /usual ", 40)), 0, 0},
		"in small pieces":   {strings.Fields(strings.Repeat("/usual /copied /small ", 5)), 7, 0},
		"a slow reader":     {[]string{"/huge", "/usual", "/huge"}, 0, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			go send(conn, c.paths, c.piece)
			r := bufio.NewReader(slow{conn, c.pause})
			for n, path := range c.paths {
				if path == "/copied" {
					path = "/usual"
				}
				answer, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatalf("answer %d: %v", n, err)
				}
				body, err := io.ReadAll(answer.Body)
				if err != nil || !bytes.Equal(body, bodies[path]) || answer.ContentLength != int64(len(body)) {
					t.Fatalf("answer %d of %s: %d bytes, expected %d, %v", n, path, len(body), len(bodies[path]), err)
				}
			}
		})
	}
}

func send(w io.Writer, paths []string, piece int) {
	var all []byte
	for _, path := range paths {
		all = fmt.Appendf(all, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path)
	}
	for len(all) > 0 {
		n := len(all)
		if piece > 0 {
			n = min(n, piece)
		}
		if _, err := w.Write(all[:n]); err != nil {
			return
		}
		all = all[n:]
	}
}

// slow pauses after each read.
type slow struct {
	net.Conn
	pause time.Duration
}

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.Conn.Read(p[:min(len(p), 64<<10)])
}

// TestGone: a client that reads nothing, or goes away in the middle of a body, ends its connection and no other.
func TestGone(t *testing.T) {
	address := serve(t, 50*time.Millisecond)
	for name, leave := range map[string]func(*net.TCPConn) error{
		"reads nothing": func(c *net.TCPConn) error { return nil },
		"goes":          func(c *net.TCPConn) error { return c.CloseRead() },
		"resets": func(c *net.TCPConn) error {
			if _, err := io.CopyN(io.Discard, c, 100_000); err != nil {
				return err
			}
			return errors.Join(c.SetLinger(0), c.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			send(c, []string{"/huge", "/huge", "/usual"}, 0)
			err = leave(c.(*net.TCPConn))
			for err == nil { // it learns by its next write that the connection was reset
				time.Sleep(5 * time.Millisecond)
				_, err = c.Write([]byte("\r\n"))
			}
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the server still holds the connection")
			}
			answer, err := http.Get("http://" + address + "/usual")
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if body, err := io.ReadAll(answer.Body); err != nil || !bytes.Equal(body, bodies["/usual"]) {
				t.Errorf("%d bytes, %v", len(body), err)
			}
		})
	}
}

// recordingConn keeps what is written to it.
type recordingConn struct {
	net.Conn
	writes [][]byte
}

func (c *recordingConn) SetWriteDeadline(time.Time) error { return nil }

func (c *recordingConn) Write(p []byte) (int, error) {
	c.writes = append(c.writes, p)
	return len(p), nil
}

// TestUncopied: long bodies are written from where they are, behind all that the buffer holds; short ones by the
// buffer.
func TestUncopied(t *testing.T) {
	for length, uncopied := range map[int]bool{minUncopied - 1: false, minUncopied: true} {
		to := &recordingConn{}
		c := &conn{
			config: Config{Metrics: newMetrics(), Writing: new(atomic.Int64)},
			writer: stallWriter{conn: to, timeout: time.Minute},
		}
		c.body.conn = c
		data, w := pattern(length), bufio.NewWriterSize(c, 64<<10)
		for range 2 {
			var r fasthttp.RequestCtx
			r.Init2(c, nil, false)
			SetBody(&r, data)
			if err := r.Response.Write(w); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if !uncopied && len(to.writes) != 1 ||
			uncopied && (len(to.writes) != 4 || &to.writes[1][0] != &data[0] || &to.writes[3][0] != &data[0]) {
			t.Errorf("%d bytes: %d writes, uncopied: %t expected", length, len(to.writes), uncopied)
		}
		if sent := bytes.Join(to.writes, nil); bytes.Count(sent, data) != 2 || !bytes.HasSuffix(sent, data) {
			t.Errorf("%d bytes: not both bodies are there", length)
		}
	}
	var r fasthttp.RequestCtx
	SetBody(&r, pattern(minUncopied)) // a connection of another listener
	if !bytes.Equal(r.Response.Body(), pattern(minUncopied)) || r.Response.IsBodyStream() {
		t.Error("not the body of the response")
	}
}

// TestBodyNotSent: a caller that reads a body otherwise gets its bytes, and one that is not sent is let go.
func TestBodyNotSent(t *testing.T) {
	c := &conn{}
	c.body.conn = c
	var r fasthttp.RequestCtx
	r.Init2(c, nil, false)
	SetBody(&r, pattern(minUncopied))
	if !bytes.Equal(r.Response.Body(), pattern(minUncopied)) {
		t.Error("not the bytes of the body")
	}
	SetBody(&r, pattern(minUncopied))
	if read, err := io.ReadAll(&c.body); err != nil || !bytes.Equal(read, pattern(minUncopied)) {
		t.Errorf("%d bytes, %v", len(read), err)
	}
	SetBody(&r, pattern(minUncopied))
	r.Response.Reset()
	if c.body.left != nil {
		t.Error("the bytes are still held")
	}
}
