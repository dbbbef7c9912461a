package server_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// TestAnonymousBodies: every route answers a request without a token before its large body has come, whether the header
// says how large it is or not. No route keeps more than 8 KiB of it.
func TestAnonymousBodies(t *testing.T) {
	s := newStageWith(t, func(c *server.Config, _ *gallerytest.Config) { c.PublicSchema = true }, func(*server.Deps) {})
	reads := map[string]bool{}
	for _, path := range []string{"/api/auth/login", "/api/auth/refresh", "/api/auth/guest", "/api/auth/register",
		"/api/auth/invitation", "/api/auth/forgot", "/api/auth/reset", "/api/auth/email", "/api/graphql"} {
		reads["POST "+path] = true
	}
	asked := map[string]bool{}
	for _, route := range s.server.App().GetRoutes(true) {
		if route.Method == fiber.MethodConnect || route.Method == fiber.MethodTrace || asked[route.Method+route.Path] {
			continue
		}
		asked[route.Method+route.Path] = true
		head := route.Method + " " + strings.NewReplacer("*", "x", ":id", "none", ":token", "none", ":file",
			"none").Replace(route.Path) +
			" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
		for name, rest := range map[string]string{
			"a length": "Content-Length: 1000000\r\n\r\n{",
			"chunks": "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1000\r\n"+strings.Repeat(" ",
				4096)+"\r\n", 3),
		} {
			t.Run(route.Method+" "+route.Path+" "+name, func(t *testing.T) {
				w := s.dial(t)
				w.must(w.conn.SetDeadline(time.Now().Add(time.Minute)))
				began := time.Now()
				w.send(head + rest)
				response, err := http.ReadResponse(w.in, &http.Request{Method: route.Method})
				if err != nil {
					t.Fatalf("no answer before the body: %v", err)
				}
				_ = response.Body.Close()
				if !response.Close {
					t.Errorf("%d, and the connection stays", response.StatusCode)
				}
				if reads[route.Method+" "+route.Path] && response.StatusCode != http.StatusRequestEntityTooLarge {
					t.Errorf("%d, expected 413; after %s", response.StatusCode, time.Since(began))
				}
			})
		}
	}
}

// TestSlowBody: a body has a time for each 16 KiB, which a byte now and then does not prolong.
func TestSlowBody(t *testing.T) {
	client, accepted := net.Pipe()
	defer client.Close()
	defer accepted.Close()
	b := server.NewBody(accepted, 50*time.Millisecond)
	go func() {
		for { // until the test closes the pipe
			if _, err := client.Write([]byte("x")); err != nil {
				return
			}
		}
	}()
	n, err := io.Copy(io.Discard, &slow{b, 5 * time.Millisecond})
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes and %v, expected a deadline", n, err)
	}
}

// slow reads a byte at a time, with pauses.
type slow struct {
	r     io.Reader
	pause time.Duration
}

func (s *slow) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.r.Read(p[:1])
}

// TestBodyProgress: 16 KiB begin a new time.
func TestBodyProgress(t *testing.T) {
	client, accepted := net.Pipe()
	defer client.Close()
	defer accepted.Close()
	b := server.NewBody(accepted, time.Hour)
	go func() { _, _ = client.Write(make([]byte, 48<<10)) }()
	p := make([]byte, 8<<10)
	last := time.Time{}
	for i, moves := range []bool{true, false, true, false, true} {
		if _, err := io.ReadFull(b, p); err != nil {
			t.Fatal(err)
		}
		if until := server.BodyUntil(b); until.After(last) != moves {
			t.Errorf("read %d: until %s, before %s", i, until, last)
		}
		last = server.BodyUntil(b)
	}
}

// TestEndOfBody: a body that makes progress ends nevertheless if it has a time for all.
func TestEndOfBody(t *testing.T) {
	client, accepted := net.Pipe()
	defer client.Close()
	defer accepted.Close()
	b := server.NewBody(accepted, time.Hour)
	end := time.Now().Add(time.Minute)
	server.EndBody(b, end)
	go func() { _, _ = client.Write(make([]byte, 48<<10)) }()
	for range 3 {
		if _, err := io.CopyN(io.Discard, b, 16<<10); err != nil {
			t.Fatal(err)
		}
		if until := server.BodyUntil(b); !until.Equal(end) {
			t.Errorf("until %s, expected %s", until, end)
		}
	}
}

// TestBodiesShareMemory: bodies over all connections take a part of the memory; one more is refused until another has
// ended.
func TestBodiesShareMemory(t *testing.T) {
	s := newStageWith(t, func(c *server.Config, _ *gallerytest.Config) { c.Memory = 16 * 100 << 10 },
		func(*server.Deps) {})
	post := func(length int, body string) *wire {
		w := s.dial(t)
		w.send(fmt.Sprintf("POST /api/graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s",
			s.tokens["user"], length, body))
		return w
	}
	body := `{"query":"{me{user{id}}}"}` + strings.Repeat(" ", 60<<10)
	waits := post(len(body), body[:50<<10])
	for s.server.Bodies() < 56<<10 { // until the server has read so much
		time.Sleep(time.Millisecond)
	}
	if a := post(len(body), body).answer(); a.status != http.StatusServiceUnavailable ||
		a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.body)
	}
	waits.send(body[50<<10:])
	if a := waits.answer(); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := post(len(body), body).answer(); a.status != http.StatusOK {
		t.Errorf("after the first has ended: %d %s", a.status, a.body)
	}
	if n := s.server.Bodies(); n != 0 {
		t.Errorf("%d bytes are still counted", n)
	}
}
