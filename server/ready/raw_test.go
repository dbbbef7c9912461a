package ready

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/signing"
)

// TestParse: what is rare or odd is left to fasthttp.
func TestParse(t *testing.T) {
	const usual = "GET /a?b HTTP/1.1\r\nHost: a.example:80\r\n"
	for request, want := range map[string]bool{
		usual + "\r\n":                    true,
		usual + "Accept: image/*\r\n\r\n": true,
		usual + "User-Agent: x (y; z)\r\nCookie:a=b\r\nCONNECTION: keep-alive\r\n\r\n": true,
		usual + "X-Forwarded-For: 192.0.2.1\r\nX-Request-Id: 12345678\r\n\r\n":         true,

		"":                                    false,
		"\r\n":                                false,
		usual:                                 false,
		usual + "\r\n" + usual + "\r\n":       false,
		usual + "\r\nx":                       false,
		"\r\n" + usual + "\r\n":               false,
		"POST /a HTTP/1.1\r\nHost: a\r\n\r\n": false,
		"GET /a HTTP/1.0\r\nHost: a\r\n\r\n":  false,
		"GET  /a HTTP/1.1\r\nHost: a\r\n\r\n": false,
		"GET http://a/a HTTP/1.1\r\nHost: a\r\n\r\n":               false,
		"GET * HTTP/1.1\r\nHost: a\r\n\r\n":                        false,
		"GET /a HTTP/1.1\nHost: a\r\n\r\n":                         false,
		"GET /a HTTP/1.1\r\nHost: a\n\r\n":                         false,
		"GET /a HTTP/1.1\r\nHost: a\r\n\n":                         false,
		"GET /a HTTP/1.1\r\n\r\n":                                  false,
		"GET /a HTTP/1.1\r\nHost:\r\n\r\n":                         false,
		"GET /a HTTP/1.1\r\nHost: a:\r\n\r\n":                      false,
		"GET /a HTTP/1.1\r\nHost: a:b\r\n\r\n":                     false,
		"GET /a HTTP/1.1\r\nHost: u@a\r\n\r\n":                     false,
		"GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n":                     false,
		"GET /a HTTP/1.1\r\nHost: %41\r\n\r\n":                     false,
		usual + "Host: a.example:80\r\n\r\n":                       false,
		usual + "Connection: close\r\n\r\n":                        false,
		usual + "Connection: keep-alive, close\r\n\r\n":            false,
		usual + "Connection: keep-alive\r\nConnection: x\r\n\r\n":  false,
		usual + "Trailer: x\r\n\r\n":                               false,
		usual + "Content-Length: 1\r\n\r\n":                        false,
		usual + "Transfer-Encoding: chunked\r\n\r\n":               false,
		usual + " Cookie: a\r\n\r\n":                               false,
		usual + "Cookie : a\r\n\r\n":                               false,
		usual + "Coo kie: a\r\n\r\n":                               false,
		usual + "Coo\x00kie: a\r\n\r\n":                            false,
		usual + ": a\r\n\r\n":                                      false,
		usual + "Cookie\r\n\r\n":                                   false,
		usual + "Cookie: a\rb\r\n\r\n":                             false,
		usual + "Cookie: a\x00b\r\n\r\n":                           false,
		usual + "Cookie: a\tb\r\n\r\n":                             false,
		usual + "Cookie: \x7f\r\n\r\n":                             false,
		usual + "Cookie: \xc3\xa9\r\n\r\n":                         false,
		usual + "Cookie: a\r\n b\r\n\r\n":                          false,
		usual + "X-Forwarded-For: a\r\nX-Forwarded-For: b\r\n\r\n": false,
	} {
		if f, got := New(Config{}).parse([]byte(request)); got != want || got && string(f.uri) != "/a?b" {
			t.Errorf("%q: %t, %q", request, got, f.uri)
		}
	}
}

// TestIsPlain compares it with a loop, at every place of a word and behind it.
func TestIsPlain(t *testing.T) {
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				b := []byte(strings.Repeat("~", length))
				b[at] = byte(c)
				if got, want := isPlain(b), c >= ' ' && c <= '~'; got != want {
					t.Fatalf("%q: %t", b, got)
				}
			}
		}
	}
}

// FuzzParse holds that fasthttp reads what parse accepts as the same request, if it accepts the URI.
func FuzzParse(f *testing.F) {
	for _, lines := range []string{"", "Accept: image/*\r\nCookie:a=b\r\n", "Connection: keep-alive\r\nX-Request-Id: 12345678\r\n", "Te: trailers\r\nUpgrade: h2c\r\n", "Origin: \t x \r\nIf-None-Match: \"y\"\r\n",
		"Content-Type: multipart/form-data\r\nX:\r\n", "Keep-Alive: 5\r\nProxy-Connection: close\r\n", "~!#$: 1\r\n", "x-forwarded-for: a, b\r\n", "Save-Data: on\r\nTrailer: x\r\n"} {
		f.Add("a?b", "a.example:80", lines)
	}
	f.Add("x://y@[z/../%zz?#\x80", "A_b.c-9", "\r\nGET / HTTP/1.1\r\n")
	f.Fuzz(func(t *testing.T, uri, host, lines string) {
		request := []byte("GET /" + uri + " HTTP/1.1\r\nHost: " + host + "\r\n" + lines + "\r\n")
		c := New(Config{Origin: true})
		ours, ok := c.parse(request)
		if !ok {
			return
		}
		read := func(text []byte) (*fasthttp.RequestCtx, *bufio.Reader, error) {
			r, from := &fasthttp.RequestCtx{}, bufio.NewReaderSize(bytes.NewReader(text), 1<<20)
			r.Init(&fasthttp.Request{}, nil, nil)
			err := r.Request.Header.Read(from)
			return r, from, err
		}
		if alone, _, err := read([]byte("GET " + string(ours.uri) + " HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil || !isSane(alone) {
			return // the URI was not kept
		}
		r, rest, err := read(request)
		if err != nil || rest.Buffered() > 0 || r.Request.Header.ConnectionClose() || !isSane(r) {
			t.Fatalf("%q: %v, %d bytes are left, closes: %t", request, err, rest.Buffered(), r.Request.Header.ConnectionClose())
		}
		theirs, ok := c.read(r)
		if !ok || string(ours.uri) != string(theirs.uri) || string(ours.accept) != string(theirs.accept) || string(ours.origin) != string(theirs.origin) || string(ours.match) != string(theirs.match) ||
			string(ours.id) != string(r.Request.Header.Peek("X-Request-Id")) || string(ours.forwarded) != string(bytes.Join(r.Request.Header.PeekAll("X-Forwarded-For"), []byte(", "))) ||
			r.Request.Header.ContentLength() > 0 {
			t.Fatalf("%q: %+v, fasthttp: %+v", request, ours, theirs)
		}
	})
}

// isSane reports whether fasthttp accepts the URI and the host.
func isSane(r *fasthttp.RequestCtx) bool {
	var u fasthttp.URI
	return u.Parse(r.Request.Header.Host(), r.Request.Header.RequestURI()) == nil
}

// TestDate: the text of a second is that second's.
func TestDate(t *testing.T) {
	var d date
	start := time.Date(2026, 3, 9, 23, 59, 58, 999_999_999, time.FixedZone("", 3600))
	for _, after := range []time.Duration{0, 1, time.Second, time.Second, 0, 48 * time.Hour} {
		at := start.Add(after)
		if got, want := string(d.at(at)), at.UTC().Format(http.TimeFormat); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
}

// TestFind: the header has the date of the response and the length of the body; none is kept for a response that ends the connection.
func TestFind(t *testing.T) {
	const wire = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		change func(*fasthttp.ResponseHeader)
		now    string // the result at the second request
		found  bool
	}{
		"usual":             {func(*fasthttp.ResponseHeader) {}, "abc", true},
		"another length":    {func(*fasthttp.ResponseHeader) {}, "abcd", false},
		"close":             {func(h *fasthttp.ResponseHeader) { h.SetConnectionClose() }, "abc", false},
		"a date of its own": {func(h *fasthttp.ResponseHeader) { h.Set("Date", "x") }, "abc", true},
	} {
		result := &cache.Entry{Body: []byte("abc"), ContentType: "image/png", Format: "png"}
		cached := New(Config{Now: time.Now, Rights: func() signing.Rights { return signing.Rights{} }, Result: func(cache.Key) *cache.Entry { return result }})
		r := &fasthttp.RequestCtx{}
		r.Init(&fasthttp.Request{}, nil, nil)
		if err := r.Request.Header.Read(bufio.NewReader(strings.NewReader(wire))); err != nil {
			t.Fatal(err)
		}
		r.Response.Header.SetContentType("image/png")
		c.change(&r.Response.Header)
		cached.Keep(r, &Answer{}, result)
		result = &cache.Entry{Body: []byte(c.now), ContentType: "image/png", Format: "png"}
		raw, ok := cached.Find([]byte(wire), now, []byte("before "))
		if ok != c.found {
			t.Errorf("%s: %t", name, ok)
		}
		if want := "before HTTP/1.1 200 OK\r\nDate: Wed, 02 Jan 2030 03:04:05 GMT\r\nContent-Type: image/png\r\nContent-Length: 3\r\n"; ok && (string(raw.Head) != want || string(raw.Body) != "abc") {
			t.Errorf("%s: %q, expected %q", name, raw.Head, want)
		}
	}
}
