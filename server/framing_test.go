package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// raw sends text on a new connection and returns every response until the server closes it or waits for more.
func (s *stage) raw(text string) (answers []answer) {
	s.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	defer conn.Close()
	_, _ = io.WriteString(conn, text)    // an error means that the server has closed the connection after its response
	_ = conn.(*net.TCPConn).CloseWrite() // a server that has answered everything closes then
	in := bufio.NewReader(conn)
	for {
		if _, err := in.Peek(1); err != nil {
			return answers
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			s.Errorf("after %d answers to %.60q: %v", len(answers), text, err)
			return answers
		}
		b, err := io.ReadAll(res.Body)
		s.must(err)
		if res.Close {
			res.Header.Set("Connection", "close") // ReadResponse removes it
		}
		answers = append(answers, answer{res.StatusCode, res.Header, string(b)})
	}
}

// TestFraming writes requests byte by byte: those that are not HTTP, or ambiguous, get one response in the documented
// shape and the end of the connection. A second request follows each, which must not be answered.
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
		{"length and chunks", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"chunks and length", post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"length 0 and chunks", post + "content-length: 0\r\ntransfer-encoding: chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"chunks on GET with length", "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"identity and length", post + "Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"identity", post + "Transfer-Encoding: identity\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"chunks in capitals and length", post + "TRANSFER-ENCODING: CHUNKED\r\nCONTENT-LENGTH: 5\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"equal lengths", post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a list of lengths", post + "Content-Length: 2, 2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a length with a sign", post + "Content-Length: +2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a negative length", post + "Content-Length: -2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a length in hex", post + "Content-Length: 0x2\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"a length beyond 64 bits", post + "Content-Length: 99999999999999999999\r\n\r\n{}", 400, "INVALID_REQUEST", false},
		{"gzip and chunks", post + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"chunks twice", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"chunks with a tab", post + "Transfer-Encoding:\tchunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", true},
		{"chunks with a vertical tab", post + "Transfer-Encoding: \x0bchunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
		{"a space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
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
		{"HTTP/9.9", "GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a space in the URL", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"headers beyond the limit", "GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n", 431, "TOO_LARGE", false},
		{"a URL beyond the limit", "GET /" + strings.Repeat("x", 40<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431, "TOO_LARGE", false},
		{"a body beyond the limit", post + "Content-Length: 2000000\r\n\r\n" + strings.Repeat("x", 2000000), 413, "TOO_LARGE", false},
		{"an unknown expectation", post + "Expect: a-miracle\r\nContent-Length: 2\r\n\r\n{}", 400, "INVALID_REQUEST", true},
		{"a broken chunk size", post + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a chunk longer than it says", post + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a chunk of 2^64", post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\nhello\r\n0\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"a chunk extension", post + "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n", 400, "INVALID_REQUEST", true},
		{"a line end in a chunk extension", post + "Transfer-Encoding: chunked\r\n\r\n5;a\nGET /hidden HTTP/1.1\r\nhello\r\n0\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"an unknown method", "BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"an unknown method with a body", "BREW /api/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 405, "METHOD_NOT_ALLOWED", false},
		{"a method in small letters", "get /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"a long method", strings.Repeat("M", 5000) + " /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"PROPFIND of a picture", "PROPFIND /unsafe/a.png HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"TRACE", "TRACE /healthz HTTP/1.1\r\nHost: x\r\nCookie: secret\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"OPTIONS of everything", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 405, "METHOD_NOT_ALLOWED", false},
		{"an absolute URL", "GET http://example.com/nothing HTTP/1.1\r\nHost: x\r\n\r\n", 403, "", true},
		{"lines that end in a line feed", "POST /api/nothing HTTP/1.1\nHost: x\nContent-Length: 5\n\nhello", 400, "INVALID_REQUEST", false},
		{"a header that ends in a line feed", "POST /api/nothing HTTP/1.1\r\nHost: x\r\nX: a\nContent-Length: 5\r\n\r\nhello", 400, "INVALID_REQUEST", false},
		{"a carriage return in a header", "GET /healthz HTTP/1.1\r\nHost: x\rX: y\r\n\r\n", 400, "INVALID_REQUEST", false},
		{"HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", 200, "", false},
		{"HTTP/1.0 that keeps alive", "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, "", true},
		{"HTTP/1.0 with chunks", "POST /api/auth/login HTTP/1.0\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, 400, "INVALID_REQUEST", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := s.raw(c.text + hidden)
			if want := 1 + map[bool]int{true: 1}[c.goesOn]; len(answers) != want {
				t.Fatalf("%d answers, expected %d: %+v", len(answers), want, answers)
			}
			a := answers[0]
			if a.status != c.status || c.code != "" && a.code() != c.code {
				t.Fatalf("%d %v %s", a.status, a.header, a.body)
			}
			if a.status == http.StatusOK {
				return
			}
			documented(t, a)
			if !c.goesOn && a.header.Get("Connection") != "close" {
				t.Errorf("the connection is not said to end: %v", a.header)
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
	if !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") || a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", a.header)
	}
	if a.status == http.StatusMethodNotAllowed && a.header.Get("Allow") == "" {
		t.Errorf("405 without Allow: %v", a.header)
	}
}
