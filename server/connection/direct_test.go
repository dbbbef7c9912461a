package connection

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// answers answers all requests for /direct*, and notes what it was given.
type answers struct {
	asked, handled atomic.Int64 // requests by Answer, and those of fasthttp
	begin          func()       // of an answer
}

func (a *answers) answer(_ netip.Addr, request, head []byte) (_, body []byte, at time.Time, ok bool) {
	a.asked.Add(1)
	path, _, _ := strings.Cut(strings.TrimPrefix(string(request), "GET /direct"), " ")
	body, ok = bodies[path]
	if !ok || bytes.Count(request, []byte("\r\n\r\n")) != 1 || !bytes.HasSuffix(request, []byte("\r\n\r\n")) {
		return nil, nil, at, false
	}
	if a.begin != nil {
		a.begin()
	}
	return fmt.Appendf(head, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Direct: yes\r\n\r\n", len(body)), body, time.Now(), true
}

// serveDirect answers with bodies, those below /direct before fasthttp, until the test ends.
func serveDirect(t *testing.T, a *answers) (s *fasthttp.Server, address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = &fasthttp.Server{ConnState: State, IdleTimeout: time.Minute, ReadTimeout: time.Minute, StreamRequestBody: true, Handler: func(c *fasthttp.RequestCtx) {
		a.handled.Add(1)
		_ = c.PostBody() // all of it
		SetBody(c, bodies[strings.TrimPrefix(string(c.Path()), "/direct")])
	}}
	config := Config{Metrics: newMetrics(), Writing: new(atomic.Int64), WriteTimeout: time.Minute, IdleTimeout: time.Minute, Answer: a.answer}
	done := make(chan error, 1)
	go func() { done <- s.Serve(Listen(l, config)) }()
	t.Cleanup(func() {
		if err := errors.Join(s.Shutdown(), <-done); err != nil {
			t.Error(err)
		}
	})
	return s, l.Addr().String()
}

// TestDirect: a request that comes alone between two others is answered before fasthttp, and all others by fasthttp; the responses are whole and in order.
func TestDirect(t *testing.T) {
	const get, post, split = "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 60\r\n\r\n", "|"
	for name, c := range map[string]struct {
		sent   []string // requests; a split is a pause
		direct int      // responses
		paths  string
	}{
		"the first": {[]string{fmt.Sprintf(get, "/direct/usual")}, 0, "/usual"},
		"the others": {[]string{fmt.Sprintf(get, "/usual"), split, fmt.Sprintf(get, "/direct/usual"), split, fmt.Sprintf(get, "/direct/small"), split, fmt.Sprintf(get, "/direct/large")},
			3, "/usual /usual /small /large"},
		"in between": {[]string{fmt.Sprintf(get, "/usual"), split, fmt.Sprintf(get, "/direct/usual"), split, fmt.Sprintf(get, "/small"), split, fmt.Sprintf(get, "/direct/small")},
			2, "/usual /usual /small /small"},
		"pipelined": {[]string{fmt.Sprintf(get, "/usual"), split, fmt.Sprintf(get, "/direct/usual"), fmt.Sprintf(get, "/direct/small")}, 0, "/usual /usual /small"},
		"behind the first": {[]string{fmt.Sprintf(get, "/usual"), fmt.Sprintf(get, "/direct/usual"), split, fmt.Sprintf(get, "/direct/small")},
			1, "/usual /usual /small"},
		"in two pieces": {[]string{fmt.Sprintf(get, "/usual"), split, "GET /direct/usual HT", split, "TP/1.1\r\nHost: a\r\n\r\n"}, 0, "/usual /usual"},
		"the end of a header": {[]string{fmt.Sprintf(get, "/usual"), split, "GET /usual HTTP/1.1\r\nX: ", split, fmt.Sprintf(get, "/direct/usual")},
			0, "/usual /usual"},
		"in a body": {[]string{fmt.Sprintf(get, "/usual"), split, fmt.Sprintf(post, "/small"), split, fmt.Sprintf(get, "/direct/usual") + strings.Repeat("x", 60-len(fmt.Sprintf(get, "/direct/usual")))},
			0, "/usual /small"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &answers{}
			_, address := serveDirect(t, a)
			client, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			paths, direct, r := strings.Fields(c.paths), 0, bufio.NewReader(client)
			for _, group := range strings.Split(strings.Join(c.sent, ""), split) {
				asked := a.asked.Load()
				if _, err := io.WriteString(client, group); err != nil {
					t.Fatal(err)
				}
				for range whole(group) {
					response, err := http.ReadResponse(r, nil)
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(response.Body)
					if want := bodies[paths[0]]; err != nil || !bytes.Equal(body, want) {
						t.Fatalf("%s: %d bytes, %v, expected %d", paths[0], len(body), err, len(want))
					}
					paths = paths[1:]
					if response.Header.Get("X-Direct") != "" {
						direct++
					}
				}
				for whole(group) == 0 && a.asked.Load() == asked { // until the server has read it
					time.Sleep(time.Millisecond)
				}
			}
			if direct != c.direct || len(paths) > 0 || int(a.handled.Load())+direct != len(strings.Fields(c.paths)) {
				t.Errorf("%d direct, expected %d; %d by fasthttp; missing: %v", direct, c.direct, a.handled.Load(), paths)
			}
		})
	}
}

// whole returns how many responses to expect after a group of bytes.
func whole(group string) int {
	if strings.HasPrefix(group, "POST") {
		return 0
	}
	if strings.HasSuffix(group, "x") || strings.HasPrefix(group, "TP/1.1") {
		return 1
	}
	return strings.Count(group, "\r\n\r\n")
}

// TestDirectAndShutdown: a server that stops sends a response that has begun, of a connection which to fasthttp waits for a request, and then closes it.
func TestDirectAndShutdown(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	a := &answers{begin: func() { close(begun); <-goOn }}
	s, address := serveDirect(t, a)
	client, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r := bufio.NewReader(client)
	for _, path := range []string{"/small", "/direct/huge"} {
		if _, err := fmt.Fprintf(client, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path); err != nil {
			t.Fatal(err)
		}
		if path == "/direct/huge" {
			<-begun
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			if err := s.ShutdownWithContext(ctx); !errors.Is(err, context.DeadlineExceeded) { // it has closed what waits
				t.Errorf("the server has stopped: %v", err)
			}
			close(goOn)
		}
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if want := bodies[strings.TrimPrefix(path, "/direct")]; err != nil || !bytes.Equal(body, want) {
			t.Fatalf("%s: %d bytes, %v, expected %d", path, len(body), err, len(want))
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("%v, expected the end", err)
	}
}

// TestDirectDeadline: after a response, the client has the idle timeout for the next request.
func TestDirectDeadline(t *testing.T) {
	client, accepted := connected(t)
	c := accepted.(*conn)
	at := time.Now().Add(-time.Hour)
	c.config.Metrics, c.config.IdleTimeout, c.writer.timeout = newMetrics(), 2*time.Hour, 3*time.Hour
	c.config.Answer = func(_ netip.Addr, _, head []byte) (_, _ []byte, _ time.Time, ok bool) {
		return append(head, "x"...), nil, at, c.wanted.IsZero()
	}
	State(c, fasthttp.StateIdle)
	for range 2 { // the second is for fasthttp
		if _, err := client.Write([]byte("request")); err != nil {
			t.Fatal(err)
		}
		if c.wanted.IsZero() {
			go func() {
				if _, err := client.Read(make([]byte, 1)); err == nil {
					_, _ = client.Write([]byte("request"))
				}
			}()
		}
		if n, err := c.Read(make([]byte, 100)); n != len("request") || err != nil {
			t.Fatal(n, err)
		}
	}
	if least, most := at.Add(c.config.IdleTimeout), time.Now().Add(c.config.IdleTimeout); c.wanted.Before(least) || c.wanted.After(most) {
		t.Errorf("until %s, expected from %s to %s", c.wanted, least, most)
	}
}

// TestDirectFails: fasthttp gets nothing of a request whose response was not sent whole.
func TestDirectFails(t *testing.T) {
	client, accepted := connected(t)
	c := accepted.(*conn)
	c.config.Metrics, c.writer.timeout = newMetrics(), time.Minute
	c.config.Answer = func(_ netip.Addr, _, head []byte) (_, _ []byte, _ time.Time, ok bool) {
		_ = c.tcp.CloseWrite()
		return append(head, "x"...), nil, time.Now(), true
	}
	State(c, fasthttp.StateIdle)
	if _, err := client.Write([]byte("request")); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 100)); n != 0 || err == nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n, err := c.Read(make([]byte, 100)); n != 0 || err == nil {
		t.Errorf("%d bytes, %v after Close", n, err)
	}
}
