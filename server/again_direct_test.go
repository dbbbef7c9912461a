package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// wireTimes sends a request as it is n times on one connection, and returns the last response as it came.
func (s *stage) wireTimes(n int, request string) string {
	s.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	defer c.Close()
	var text strings.Builder
	r := bufio.NewReader(io.TeeReader(c, &text))
	for range n {
		text.Reset()
		_, err := io.WriteString(c, request)
		s.must(err)
		answer, err := http.ReadResponse(r, nil)
		s.must(err)
		_, err = io.Copy(io.Discard, answer.Body)
		s.must(err)
	}
	return text.String()
}

func (s *stage) wire(request string) string { s.Helper(); return s.wireTimes(1, request) }

// ofOne are the parts of a response that belong to one request.
var ofOne = regexp.MustCompile(`(?m)^(Date|X-Request-Id): .*\r\n`)

// TestDirect: a response that is sent before fasthttp reads the request has the bytes of the one by fasthttp, but the date and the id.
func TestDirect(t *testing.T) {
	s := cachedStage(t)
	url := s.signed("10x10/a/b.png")
	if _, ok := s.server.Direct("192.0.2.1", request("GET", url)); ok {
		t.Error("answered before it was kept")
	}
	tag := s.send(url).header.Get("ETag")
	for name, lines := range map[string][]string{
		"plain":      nil,
		"accept":     {"Accept: image/webp,*/*;q=0.8", "User-Agent: x (y; z)", "Cookie: a=b"},
		"keep-alive": {"connection: Keep-Alive", "Accept:  image/avif "},
		"the tag":    {"If-None-Match: " + tag},
		"an id":      {"X-Request-Id: client-1234"},
	} {
		one := request("GET", url, lines...)
		s.wireTimes(2, one)
		byFasthttp, handled := s.wire(one), s.handled.Load() // the first of a connection
		direct, ok := s.server.Direct("192.0.2.1", one)
		if !ok {
			t.Errorf("%s: not answered", name)
		}
		want := "HTTP/1.1 200 OK"
		if name == "the tag" {
			want = "HTTP/1.1 304 Not Modified"
		}
		third := s.wireTimes(3, one)
		if n := s.handled.Load() - handled; n != 1 {
			t.Errorf("%s: fasthttp has read %d of three requests, expected the first", name, n)
		}
		for from, response := range map[string]string{"direct": direct, "the third of a connection": third} {
			if len(ofOne.FindAllString(response, -1)) != 2 || ofOne.ReplaceAllString(response, "") != ofOne.ReplaceAllString(byFasthttp, "") || !strings.HasPrefix(response, want+"\r\n") {
				t.Errorf("%s, %s:\n%s\nexpected\n%s", name, from, response, byFasthttp)
			}
			if _, err := http.ParseTime(http.Header(s.parsed(response)).Get("Date")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got := s.parsed(response).Get("X-Request-Id"); len(got) != 26 && name != "an id" || name == "an id" && got != "client-1234" {
				t.Errorf("%s: the id is %q", name, got)
			}
		}
	}
}

// parsed returns the header of a response.
func (s *stage) parsed(response string) http.Header {
	s.Helper()
	r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(response)), nil)
	s.must(err)
	return r.Header
}

// TestNotDirect: what a request or the state of the server makes another answer is left to fasthttp, which comes to the same or takes the routes.
func TestNotDirect(t *testing.T) {
	s := cachedStage(t)
	url := s.signed("10x10/a/b.png")
	plain := request("GET", url)
	s.wireTimes(2, plain)
	for name, one := range map[string]string{
		"another URL":       request("GET", s.signed("11x11/a/b.png")),
		"a changed one":     request("GET", strings.Replace(url, "10x10", "10x12", 1)),
		"HEAD":              request("HEAD", url),
		"HTTP/1.0":          strings.Replace(plain, "HTTP/1.1", "HTTP/1.0", 1),
		"close":             request("GET", url, "Connection: close"),
		"a token":           request("GET", url, "Authorization: Bearer x"),
		"a range":           request("GET", url, "Range: bytes=0-1"),
		"a body":            request("GET", url, "Content-Length: 0"),
		"chunks":            request("GET", url, "Transfer-Encoding: chunked"),
		"two hosts":         request("GET", url, "Host: b"),
		"no host":           strings.Replace(plain, "Host: a\r\n", "", 1),
		"another Accept":    request("GET", url, "Accept: image/png"),
		"two requests":      plain + plain,
		"not all of it":     plain[:len(plain)-1],
		"a bare line feed":  strings.Replace(plain, "a\r\n", "a\n", 1),
		"nothing":           "",
		"the end of a line": "\r\n",
	} {
		if _, ok := s.server.Direct("192.0.2.1", one); ok {
			t.Errorf("%s: answered", name)
		}
	}
	if _, ok := s.server.Direct("192.0.2.1", plain); !ok {
		t.Error("not answered")
	}
	s.must(os.Remove(filepath.Join(s.files, "a", "b.png")))
	if response := s.wireTimes(2, plain); !strings.HasPrefix(response, "HTTP/1.1 404 ") {
		t.Errorf("a deleted file: %s", response)
	}
	if _, ok := s.server.Direct("192.0.2.1", plain); ok {
		t.Error("a deleted file is answered")
	}
}

// TestDirectLog: each response is logged, with the client that a trusted proxy forwards for, and counted.
func TestDirectLog(t *testing.T) {
	c, err := cache.New(cache.Config{MemoryBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := newStageWith(t, func(sc *server.Config, g *gallerytest.Config) {
		g.Gallery.Results, sc.Now, sc.TrustedProxies = c, later, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	}, func(d *server.Deps) { d.Results = c })
	url := s.signed("10x10/a/b.png")
	s.wireTimes(2, request("GET", url))
	for _, one := range []struct{ peer, forwarded, logged string }{
		{"192.0.2.1", "198.51.100.7", "192.0.2.1"},
		{"10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"},
		{"10.0.0.1", "198.51.100.8, 10.0.0.2", "198.51.100.8"},
		{"10.0.0.1", "nonsense", "10.0.0.1"},
	} {
		before := len(s.log.String())
		if _, ok := s.server.Direct(one.peer, request("GET", url, "X-Forwarded-For: "+one.forwarded, "X-Request-Id: client-1234")); !ok {
			t.Fatalf("%v: not answered", one)
		}
		line := s.log.String()[before:]
		for _, want := range []string{"msg=request requestId=client-1234 method=GET path=\"" + url + "\" status=200 bytes=", " address=" + one.logged + " "} {
			if !strings.Contains(line, want) || strings.Count(line, "\n") != 1 {
				t.Errorf("%v: %s", one, line)
			}
		}
	}
	if _, ok := s.server.Direct("10.0.0.1", request("GET", url, "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2")); ok {
		t.Error("two lists of addresses are answered")
	}
	metrics := s.do("GET", "/metrics", "").body
	for _, want := range []string{`safelight_requests_total{route="image",status="200"} 6`, `safelight_request_seconds_count{route="image"} 6`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("%s is missing:\n%s", want, metrics)
		}
	}
}
