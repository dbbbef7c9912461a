package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

// largeEngine returns results that no socket buffer holds.
type largeEngine struct{ *fakeEngine }

func (e largeEngine) Process(
	ctx context.Context, src imaging.Source, ops imaging.Operations, l imaging.Limits,
) (*imaging.Result, error) {
	r, err := e.fakeEngine.Process(ctx, src, ops, l)
	if r != nil {
		r.Data = make([]byte, 32<<20)
	}
	return r, err
}

// TestClientsThatReadNothing: on every kind of route, the server closes connections whose clients read nothing, and
// frees what their responses hold.
func TestClientsThatReadNothing(t *testing.T) {
	s := newStageWith(t, func(c *server.Config, r *gallerytest.Config) {
		c.WriteTimeout, c.Unsafe, r.Uploads.MaxFileBytes = 50*time.Millisecond, true, 64<<20
	}, func(d *server.Deps) { d.Engine = largeEngine{d.Engine.(*fakeEngine)} })
	s.store("big.png", png+strings.Repeat("x", 32<<20))
	s.store("t.template.json", `{"version":"1.0","note":"`+strings.Repeat("x", 900_000)+`"}`)
	document := "{"
	for i := range 9 { // 8.1 MB: an answer has at most 8 MiB
		document += fmt.Sprintf(" t%d: template(path: \"t.template.json\") { envelope }", i)
	}
	document += " }"
	body, err := json.Marshal(map[string]string{"query": document})
	s.must(err)
	bearer := "Authorization: Bearer " + s.tokens["user"] + "\r\n"
	post := func(accept string) string {
		return fmt.Sprintf("POST /api/graphql HTTP/1.1\r\nHost: x\r\n%sAccept: %s\r\nContent-Type: "+
			"application/json\r\nContent-Length: %d\r\n\r\n%s", bearer, accept, len(body), body)
	}
	raw := "GET " + s.signed("filters:raw()/big.png") + " HTTP/1.1\r\nHost: x\r\n"
	for name, request := range map[string]string{
		"original": raw + "\r\n",
		"range":    raw + "Range: bytes=1-30000000\r\n\r\n",
		"ranges":   raw + "Range: bytes=0-15000000,15000002-30000000\r\n\r\n",
		"result":   "GET /unsafe/10x10/big.png HTTP/1.1\r\nHost: x\r\n\r\n",
		"GraphQL":  post("application/json"),
		"GraphQL by GET": "GET /api/graphql?query=" + url.QueryEscape(document) + " HTTP/1.1\r\nHost: x\r\n" +
			bearer + "\r\n",
		"server-sent events":  post("text/event-stream"),
		"pipelined documents": strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 400),
	} {
		t.Run(name, func(t *testing.T) {
			conn := dialSilent(t, strings.TrimPrefix(s.url, "http://"))
			defer conn.Close()
			s.must(conn.SetDeadline(time.Now().Add(time.Minute)))
			_, err := conn.Write([]byte(request))
			for err == nil { // a client that does not read learns by its next write that the connection was reset
				time.Sleep(20 * time.Millisecond)
				_, err = conn.Write([]byte("\r\n"))
			}
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the server still holds the connection")
			}
		})
	}
	if m := s.do("GET", "/metrics", "").body; !strings.Contains(m, "safelight_requests_in_flight 1\n") {
		t.Error("responses are still counted as in progress")
	}
}

// dialSilent connects with the smallest receive buffer.
func dialSilent(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	tcp := conn.(*net.TCPConn)
	if err := tcp.SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	return tcp
}
