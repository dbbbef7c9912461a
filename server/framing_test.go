package server_test

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// raw sends text on a new connection and returns every response until the server closes it or waits for more.
func (s *stage) raw(text string) (answers []answer) {
	s.Helper()
	w := s.dial(s.T)
	// an error means that the server has closed the connection after its response
	_, _ = io.WriteString(w.conn, text)
	_ = w.conn.(*net.TCPConn).CloseWrite() // a server that has answered everything closes then
	return w.rest(text)
}

// rest returns every response until the server closes the connection, which it must do although its timeouts are long.
func (w *wire) rest(text string) (answers []answer) {
	w.Helper()
	w.must(w.conn.SetReadDeadline(time.Now().Add(time.Minute)))
	for {
		if _, err := w.in.Peek(1); err != nil {
			if err != io.EOF {
				w.Errorf("after %d answers to %.60q: %v, expected the end", len(answers), text, err)
			}
			return answers
		}
		res, err := http.ReadResponse(w.in, nil)
		if err != nil {
			w.Errorf("after %d answers to %.60q: %v", len(answers), text, err)
			return answers
		}
		b, err := io.ReadAll(res.Body)
		w.must(err)
		if res.Close {
			res.Header.Set("Connection", "close") // ReadResponse removes it
		}
		answers = append(answers, answer{res.StatusCode, res.Header, string(b)})
	}
}

// TestFraming writes requests byte by byte: those that are not HTTP, or ambiguous, get one response in the documented
// shape and the end of the connection. A second request follows each, which must not be answered. Each also comes
// alone, on a new connection and on one that has been used: the server must not wait for more.
func TestFraming(t *testing.T) {
	s := newStage(t, nil)
	const hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\nX-Request-Id: hidden-hidden\r\n\r\n"
	chunked := "5\r\nhello\r\n0\r\n\r\n"
	post := "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for _, c := range []struct {
		name, text string
		status     int
		code       string
		goesOn     bool // the next request is answered
	}{
		{"length and chunks", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, 400,
			"INVALID_REQUEST", false},
		{"chunks and length", post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunked, 400,
			"INVALID_REQUEST", false},
		{"length 0 and chunks", post + "content-length: 0\r\ntransfer-encoding: chunked\r\n\r\n" + chunked, 400,
			"INVALID_REQUEST", false},
		{"chunks on GET with length", "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"identity and length", post + "Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\n{}", 400,
			"INVALID_REQUEST", false},
		{"identity", post + "Transfer-Encoding: identity\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"chunks in capitals and length", post + "TRANSFER-ENCODING: CHUNKED\r\nCONTENT-LENGTH: 5\r\n\r\n" + chunked,
			400, "INVALID_REQUEST", false},
		{"two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"equal lengths", post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a list of lengths", post + "Content-Length: 2, 2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a length with a sign", post + "Content-Length: +2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a negative length", post + "Content-Length: -2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a length in hex", post + "Content-Length: 0x2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a length beyond 64 bits", post + "Content-Length: 99999999999999999999\r\n\r\n{}", 400, "INVALID_REQUEST",
			false},
		{"gzip and chunks", post + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"chunks twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, 400,
			"INVALID_REQUEST", false},
		{"chunks with a tab", post + "Transfer-Encoding:\tchunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", true},
		{"chunks with a vertical tab", post + "Transfer-Encoding: \x0bchunked\r\n\r\n" + chunked, 400,
			"INVALID_REQUEST", false},
		{"a space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST",
			false},
		{"a space before the length's colon", post + "Content-Length : 5\r\n\r\nhello", 400, "INVALID_REQUEST", false},
		{"a folded line", post + "X: a\r\n Content-Length: 5\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a line without a colon", post + "Content-Length 5\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"an empty name", post + ": x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a NUL in a value", post + "X: a\x00b\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"two hosts", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"no host", "GET /healthz HTTP/1.1\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a bad request line", "GET /healthz\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"no method", " /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a method with a bracket", "G{T /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"HTTP/9.9", "GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n", 505, "INVALID_REQUEST", false},
		{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "INVALID_REQUEST", false},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a space in the URL", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"headers beyond the limit", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 40<<10) +
			"\r\n\r\n", 431, "TOO_LARGE", false},
		{"a URL beyond the limit", "GET /" + strings.Repeat("x", 40<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", 414,
			"TOO_LARGE", false},
		{"a body beyond the limit", post + "Content-Length: 2000000\r\n\r\n" + strings.Repeat("x", 2000000), 413,
			"TOO_LARGE", false},
		{"an unknown expectation", post + "Expect: a-miracle\r\nContent-Length: 2\r\n\r\n{}", 400, "INVALID_REQUEST",
			true},
		{"a broken chunk size", post + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"a chunk longer than it says", post + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"a chunk of 2^64", post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\nhello\r\n0\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"a chunk extension", post + "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n", 400,
			"INVALID_REQUEST", true},
		{"a line end in a chunk extension", post + "Transfer-Encoding: chunked\r\n\r\n5;a\nGET /hidden " +
			"HTTP/1.1\r\nhello\r\n0\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a trailer", post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"a request in a trailer", post +
			"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\n\nGET http://x/ " +
			"HTTP/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"an unknown method", "BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"an unknown method with a body", "BREW /api/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
			405, "METHOD_NOT_ALLOWED", false},
		{"a method in small letters", "get /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"a long method", strings.Repeat("M", 5000) + " /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405,
			"METHOD_NOT_ALLOWED", false},
		{"PROPFIND of a picture", "PROPFIND /unsafe/a.png HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED",
			false},
		{"TRACE", "TRACE /healthz HTTP/1.1\r\nHost: x\r\nCookie: secret\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"OPTIONS of everything", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"an absolute URL", "GET http://example.com/nothing HTTP/1.1\r\nHost: x\r\n\r\n", 403, "", true},
		{"lines that end in a line feed", "POST /api/nothing HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello", 400,
			"INVALID_REQUEST", false},
		{"a header that ends in a line feed", "POST /api/nothing HTTP/1.1\r\nHost: x\r\nX: a\nContent-Length: " +
			"5\r\n\r\nhello", 400, "INVALID_REQUEST", false},
		{"a carriage return in a header", "GET /healthz HTTP/1.1\r\nHost: x\rX: y\r\n\r\n", 400, "INVALID_REQUEST",
			false},
		{"all lines end in a line feed", "GET /healthz HTTP/1.1\nHost: x\n\n", 400, "INVALID_REQUEST", false},
		{"the request line ends in a line feed", "GET /healthz HTTP/1.1\nHost: x\r\n\r\n", 400, "INVALID_REQUEST",
			false},
		{"the last header ends in a line feed", "GET /healthz HTTP/1.1\r\nHost: x\n\r\n", 400, "INVALID_REQUEST",
			false},
		{"the empty line ends in a line feed", "GET /healthz HTTP/1.1\r\nHost: x\r\n\n", 400, "INVALID_REQUEST", false},
		{"HTTP/1.0 without headers, with line feeds", "GET /healthz HTTP/1.0\n\n", 400, "INVALID_REQUEST", false},
		{"an empty line before that ends in a line feed", "\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"an empty line before", "\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200, "", true},
		{"all lines end in a carriage return", "GET /healthz HTTP/1.1\rHost: x\r\r", 400, "INVALID_REQUEST", false},
		{"a carriage return in the request line", "GET /healthz\r HTTP/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST",
			false},
		{"a body with line feeds", post + "Content-Length: 4\r\n\r\n\n\n\n\n", 400, "INVALID_REQUEST", true},
		{"a space in a name", "GET /healthz HTTP/1.1\r\nHost: x\r\nX y: z\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a tab in a name", "GET /healthz HTTP/1.1\r\nHost: x\r\nX\ty: z\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a tab before the colon", "GET /healthz HTTP/1.1\r\nHost: x\r\nX\t: z\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a space before the first name", "GET /healthz HTTP/1.1\r\n Host: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a line folded with a tab", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\r\n\tb\r\n\r\n", 400, "INVALID_REQUEST",
			false},
		{"a folded empty line", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\r\n \r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a bracket in a name", "GET /healthz HTTP/1.1\r\nHost: x\r\nX[]: z\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a name in UTF-8", "GET /healthz HTTP/1.1\r\nHost: x\r\n\u00e4: z\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a value in UTF-8", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: \u00e4\tb\r\n\r\n", 200, "", true},
		{"an escape in a value", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\x1bb\r\n\r\n", 400, "INVALID_REQUEST",
			false},
		{"DEL in a value", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\x7fb\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"NUL in the URL", "GET /healthz\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"an empty host", "GET /healthz HTTP/1.1\r\nHost: \r\n\r\n", 400, "INVALID_REQUEST", false},
		{"two equal hosts", "GET /healthz HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a list of hosts", "GET /healthz HTTP/1.1\r\nHost: x, y\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a user in the host", "GET /healthz HTTP/1.1\r\nHost: user@x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a user and a password in the host", "GET /healthz HTTP/1.1\r\nHost: a:b@x:80\r\n\r\n", 400, "INVALID_REQUEST",
			false},
		{"a user in an absolute URL", "GET http://user@x/healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST",
			false},
		{"an absolute URL with an @ in its path", "GET http://x/a@b HTTP/1.1\r\nHost: x\r\n\r\n", 403, "", true},
		{"a path in the host", "GET /healthz HTTP/1.1\r\nHost: x/y\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a question mark in the host", "GET /healthz HTTP/1.1\r\nHost: x?y\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"an invalid host beside an absolute URL", "GET http://x/healthz HTTP/1.1\r\nHost: x/y\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"a port that is no number", "GET /healthz HTTP/1.1\r\nHost: x:y\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a host with a port", "GET /healthz HTTP/1.1\r\nHost: images.example.com:8080\r\n\r\n", 200, "", true},
		{"a host in IPv6", "GET /healthz HTTP/1.1\r\nHost: [2001:db8::1]:8080\r\n\r\n", 200, "", true},
		{"a host with an underscore", "GET /healthz HTTP/1.1\r\nHost: image_server-1\r\n\r\n", 200, "", true},
		{"an empty length", post + "Content-Length:\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"two lengths in a list", post + "Content-Length: 5, 6\r\n\r\nhello!", 400, "INVALID_REQUEST", false},
		{"a length with a space", post + "Content-Length: 1 0\r\n\r\n0123456789", 400, "INVALID_REQUEST", false},
		{"chunked and identity", post + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunked, 400,
			"INVALID_REQUEST", false},
		{"an empty encoding", post + "Transfer-Encoding:\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"an ambiguous request whose body does not come", post + "X y: z\r\nContent-Length: 100\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"an ambiguous request that expects 100", post + "X y: z\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
			400, "INVALID_REQUEST", false},
		{"a chunk size that ends in a line feed", post + "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"a chunk that ends in a line feed", post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n", 400,
			"INVALID_REQUEST", false},
		{"HTTP/1.2", "GET /healthz HTTP/1.2\r\nHost: x\r\n\r\n", 505, "INVALID_REQUEST", false},
		{"HTTP/2.0 with a body that does not come", "POST /healthz HTTP/2.0\r\nHost: x\r\nContent-Length: 100\r\n\r\n",
			505, "INVALID_REQUEST", false},
		{"a protocol in small letters", "GET /healthz http/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"no protocol", "GET /healthz\r\n", 400, "INVALID_REQUEST", false},
		{"a URL that goes on", "GET /" + strings.Repeat("x", 40<<10), 414, "TOO_LARGE", false},
		{"headers that go on", "GET /healthz HTTP/1.1\r\nHost: x\r\n" +
			strings.Repeat("X: xxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n", 2000), 431, "TOO_LARGE", false},
		{"close", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200, "", false},
		{"Close", "GET /healthz HTTP/1.1\r\nHost: x\r\nconnection: Close\r\n\r\n", 200, "", false},
		{"CLOSE after a tab", "GET /healthz HTTP/1.1\r\nHost: x\r\nCONNECTION:\tCLOSE \r\n\r\n", 200, "", false},
		{"keep-alive, Close", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Close\r\n\r\n", 200, "",
			false},
		{"close and TE", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close,TE\r\nTE: trailers\r\n\r\n", 200, "",
			false},
		{"empty elements and close", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: , ,\tclose ,\r\n\r\n", 200, "",
			false},
		{"close, then another line", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nConnection: " +
			"keep-alive\r\n\r\n", 200, "", false},
		{"another line, then close", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nX: " +
			"y\r\nConnection: foo, close\r\n\r\n", 200, "", false},
		{"a token that begins like close", "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: closed, keep-alive\r\n\r\n",
			200, "", true},
		{"close in another header", "GET /healthz HTTP/1.1\r\nHost: x\r\nProxy-Connection: close\r\n\r\n", 200, "",
			true},
		{"HTTP/1.0 that keeps alive and closes", "GET /healthz HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", 200,
			"", false},
		{"HTTP/1.0 that keeps alive in capitals", "GET /healthz HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", 200, "",
			true},
		{"HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", 200, "", false},
		{"HTTP/1.0 that keeps alive", "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, "", true},
		{"HTTP/1.0 with chunks", "POST /api/auth/login HTTP/1.0\r\nContent-Type: " +
			"application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := s.raw(c.text + hidden)
			if want := 1 + map[bool]int{true: 1}[c.goesOn]; len(answers) != want {
				t.Fatalf("%d answers, expected %d: %+v", len(answers), want, answers)
			}
			if !c.goesOn {
				for _, before := range []string{"", hidden} {
					w := s.dial(t)
					w.send(before)
					if before != "" {
						w.answer()
					}
					_, _ = io.WriteString(w.conn, c.text)
					if alone := w.rest(c.text); len(alone) != 1 || alone[0].status != c.status {
						t.Errorf("alone, after %.10q: %+v", before, alone)
					}
				}
			}
			a := answers[0]
			if a.status != c.status || c.code != "" && a.code() != c.code {
				t.Fatalf("%d %v %s", a.status, a.header, a.body)
			}
			if !c.goesOn && a.header.Get("Connection") != "close" {
				t.Errorf("the connection is not said to end: %v", a.header)
			}
			if a.status != http.StatusOK {
				documented(t, a)
			}
		})
	}
}

// documented checks that a response has the shape of every error.
func documented(t *testing.T, a answer) {
	t.Helper()
	id, _ := a.json("requestId").(string)
	if message, _ := a.json("message").(string); message == "" || id == "" || id != a.header.Get("X-Request-Id") {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") ||
		a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", a.header)
	}
	if a.status == http.StatusMethodNotAllowed && a.header.Get("Allow") == "" {
		t.Errorf("405 without Allow: %v", a.header)
	}
}

// TestPipelined: requests that come together, with line feeds in their bodies, are all answered, wherever the bytes are
// split.
func TestPipelined(t *testing.T) {
	s := newStage(t, nil)
	const get = "GET /healthz HTTP/1.1\r\nHost: x\r\n"
	const post = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	text := get + "\r\n" + post + "Content-Length: 8\r\n\r\n{\n\r\n\n\r\n}" + get + "\r\n" +
		post + "Transfer-Encoding: chunked\r\n\r\n4\r\n{\n\n}\r\n0\r\n\r\n" + get + "Connection: close\r\n\r\n"
	want := []int{200, 400, 200, 400, 200}
	for split := range len(text) {
		w := s.dial(t)
		w.send(text[:split])
		if split%3 > 0 {
			time.Sleep(time.Millisecond) // so that the server reads the parts one by one, most of the time
		}
		w.send(text[split:])
		answers := w.rest(text)
		if got := statuses(answers); !slices.Equal(got, want) {
			t.Fatalf("%q, %q: %v, expected %v", text[:split], text[split:], got, want)
		}
	}
	// The client need not close the connection to be told that a pipelined header ends with a bare line feed.
	for _, end := range []string{"\n", "X: y\n\n", "X: y\r\n\n"} {
		w := s.dial(t)
		w.send(get + "\r\n" + get + end)
		if got := statuses(w.rest(end)); !slices.Equal(got, []int{200, 400}) {
			t.Errorf("%q: %v", end, got)
		}
	}
	// Nothing is read behind a request that is refused.
	for _, bad := range []string{get + "X y: z\r\n\r\n", get + "X: y\n\r\n", "GET /healthz HTTP/1.1\nHost: x\n\n",
		post + "Content-Length: x\r\n\r\n"} {
		if got := statuses(s.raw(get + "\r\n" + bad + get + "\r\n")); !slices.Equal(got, []int{200, 400}) {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func statuses(answers []answer) (all []int) {
	for _, a := range answers {
		all = append(all, a.status)
	}
	return all
}

// TestContinue: a client that waits for 100 before its body gets it, unless it speaks HTTP/1.0.
func TestContinue(t *testing.T) {
	s := newStage(t, nil)
	for _, expect := range []string{"100-continue", "100-Continue"} {
		w := s.dial(t)
		w.send("POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: " + expect +
			"\r\nContent-Length: 2\r\n\r\n")
		w.must(w.conn.SetReadDeadline(time.Now().Add(time.Minute)))
		if a := w.answer(); a.status != 100 {
			t.Fatalf("%s: %d", expect, a.status)
		}
		w.send("{}")
		if a := w.answer(); a.status != 400 {
			t.Errorf("%s: %d", expect, a.status)
		}
	}
	got := statuses(s.raw("POST /api/auth/login HTTP/1.0\r\nContent-Type: application/json\r\nExpect: " +
		"100-continue\r\nContent-Length: 2\r\n\r\n{}"))
	if !slices.Equal(got, []int{400}) {
		t.Errorf("HTTP/1.0: %v, expected 400 alone", got)
	}
}
