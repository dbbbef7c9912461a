package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// wire is a connection to which requests are written byte by byte.
type wire struct {
	*testing.T
	conn net.Conn
	in   *bufio.Reader
}

func (s *stage) dial(t *testing.T) *wire {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &wire{T: t, conn: c, in: bufio.NewReader(c)}
}

func (w *wire) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *wire) send(text string) {
	w.Helper()
	_, err := io.WriteString(w.conn, text)
	w.must(err)
}

// answer reads the next response on the connection.
func (w *wire) answer() answer {
	w.Helper()
	res, err := http.ReadResponse(w.in, nil)
	if err != nil {
		w.Fatalf("no answer: %v", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	w.must(err)
	return answer{res.StatusCode, res.Header, string(b)}
}

// chunks writes data in chunks of those sizes, repeated, and the last chunk.
func chunks(data string, sizes ...int) string {
	var b strings.Builder
	for i := 0; data != ""; i++ {
		n := min(sizes[i%len(sizes)], len(data))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, data[:n])
		data = data[n:]
	}
	return b.String() + "0\r\n\r\n"
}

// TestChunkedUploads sends the chunks of a file with Transfer-Encoding: chunked over one connection: each gets its
// response before the next is sent.
func TestChunkedUploads(t *testing.T) {
	s := newStage(t, nil)
	data := png + strings.Repeat("chunky", 20_000)
	put := func(from, to int) string {
		return fmt.Sprintf("Content-Range: bytes %d-%d/%d\r\n", from, to-1, len(data))
	}
	open := func(from, _ int) string { return fmt.Sprintf("Content-Range: bytes %d-*/%d\r\n", from, len(data)) }
	tus := func(from, _ int) string {
		return fmt.Sprintf("Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\nUpload-Offset: "+
			"%d\r\n", from)
	}
	for i, c := range []struct {
		name, method string
		headers      func(from, to int) string
		sizes        []int
	}{
		{"all in one chunk", "PUT", put, []int{1 << 20}},
		{"single bytes and large ones", "PUT", open, []int{1, 1, 4095, 4096, 4097, 32 << 10, 3}},
		{"the server's own buffer", "PUT", put, []int{32 << 10, 32<<10 - 1, 64 << 10}},
		{"tus", "PATCH", tus, []int{7, 10_000}},
	} {
		for _, expect := range []string{"", "Expect: 100-continue\r\n"} {
			t.Run(c.name+" "+expect, func(t *testing.T) {
				id := s.begin(fmt.Sprintf("c/%d%t.png", i, expect == ""), len(data))
				w := s.dial(t)
				ends := []int{0, 20_000, 20_001, len(data) - 1, len(data)}
				for j := 1; j < len(ends); j++ {
					from, to := ends[j-1], ends[j]
					w.send(c.method + " /api/uploads/" + id + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" +
						expect + c.headers(from, to) + "\r\n")
					if expect != "" {
						if a := w.answer(); a.status != http.StatusContinue {
							t.Fatalf("before the body: %d", a.status)
						}
					}
					w.send(chunks(data[from:to], c.sizes...))
					if a := w.answer(); a.status != http.StatusNoContent ||
						a.header.Get("Upload-Offset") != strconv.Itoa(to) {
						t.Fatalf("%d-%d: %d %q %s", from, to, a.status, a.header.Get("Upload-Offset"), a.body)
					}
				}
				if a := s.finish(id); a.json("data", "finishUpload", "file", "size") != float64(len(data)) {
					t.Errorf("finishUpload: %s", a.body)
				}
			})
		}
	}
}

// TestChunkedRefusals reads responses that come after a whole chunked body, and before it.
func TestChunkedRefusals(t *testing.T) {
	s := newStage(t, nil)
	id := s.begin("n/a.png", 100)
	for _, c := range []struct {
		name, head, body string
		status           int
	}{
		{"too much", "PUT /api/uploads/" + id, strings.Repeat("x", 101), 413},
		{"far too much", "PUT /api/uploads/" + id, strings.Repeat("x", 300_000), 413},
		{"a wrong start", "PUT /api/uploads/" + id + " HTTP/1.1\r\nContent-Range: bytes 7-/100", "xyz", 409},
		{"nothing", "PUT /api/uploads/" + id, "", 204},
		{"nobody's", "PUT /api/uploads/none", strings.Repeat("x", 300_000), 404},
		{"bad JSON", "POST /api/auth/login HTTP/1.1\r\nContent-Type: application/json", `{"username":`, 400},
		{"a wrong password", "POST /api/auth/login HTTP/1.1\r\nContent-Type: application/json",
			`{"username":"admin","password":"guessed-guessed"}`, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			line, more, _ := strings.Cut(c.head, " HTTP/1.1")
			w := s.dial(t)
			w.send(line + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked" + more + "\r\n\r\n" +
				chunks(c.body, 50, 1000))
			if a := w.answer(); a.status != c.status {
				t.Errorf("%d %s, expected %d", a.status, a.body, c.status)
			}
		})
	}
}

// TestUnreadBodies sends bodies to routes that do not read them: the next request on the connection is parsed from its
// start, or the connection closes.
func TestUnreadBodies(t *testing.T) {
	s := newStage(t, nil)
	hidden := "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
	long := strings.Repeat("x", 200_000) + hidden
	for _, line := range []string{
		"POST /api/auth/guest", "POST /api/auth/logout", "POST /api/nothing", "PUT /healthz", "OPTIONS /api/uploads/x",
		"DELETE /api/uploads/x", "GET /healthz", "HEAD /healthz", "POST /api/graphql",
	} {
		for name, rest := range map[string]string{
			"chunked":       "Transfer-Encoding: chunked\r\n\r\n" + chunks(hidden, 1000),
			"chunked, long": "Transfer-Encoding: chunked\r\n\r\n" + chunks(long, 7000, 1),
			"short":         "Content-Length: " + strconv.Itoa(len(hidden)) + "\r\n\r\n" + hidden,
			"long":          "Content-Length: " + strconv.Itoa(len(long)) + "\r\n\r\n" + long,
		} {
			t.Run(line+" "+name, func(t *testing.T) {
				w := s.dial(t)
				w.send(line + " HTTP/1.1\r\nHost: x\r\n" + rest)
				res, err := http.ReadResponse(w.in, &http.Request{Method: strings.Fields(line)[0]})
				if err != nil {
					t.Fatalf("no answer: %v", err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				if res.Close {
					return
				}
				w.send("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
				if a := w.answer(); a.status != http.StatusOK || !strings.Contains(a.body, "openapi") {
					t.Errorf("the next request: %d %.100s", a.status, a.body)
				}
			})
		}
	}
}
