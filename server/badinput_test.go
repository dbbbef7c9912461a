package server_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// TestBadInput holds the documented status and code of malformed requests. None answers 500.
func TestBadInput(t *testing.T) {
	s := newStage(t, nil)
	const js = "application/json"
	bearer := "Bearer " + s.tokens["admin"]
	for _, c := range []struct {
		method, path, contentType, body string
		status                          int
		code, field                     string
	}{
		// login
		{"POST", "/api/auth/login", js, "", 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", js, "{", 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", js, "null", 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", js, "[]", 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", js, `"x"`, 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", js, `{} {}`, 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", js, "\xff\xfe", 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", js, `{}`, 400, "INVALID_REQUEST", "username"},
		{"POST", "/api/auth/login", js, `{"username":"a"}`, 400, "INVALID_REQUEST", "password"},
		{"POST", "/api/auth/login", js, `{"username":1,"password":"x"}`, 400, "INVALID_REQUEST", "username"},
		{"POST", "/api/auth/login", js, `{"username":"a","password":["x"]}`, 400, "INVALID_REQUEST", "password"},
		{"POST", "/api/auth/login", js, `{"username":"","password":"x"}`, 400, "INVALID_REQUEST", "username"},
		{"POST", "/api/auth/login", js, `{"username":null,"password":"x"}`, 400, "INVALID_REQUEST", "username"},
		{"POST", "/api/auth/login", "text/plain", `{"username":"a","password":"b"}`, 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", "", `{"username":"a","password":"b"}`, 400, "INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", "application/x-www-form-urlencoded", `username=a&password=b`, 400,
			"INVALID_REQUEST", ""},
		{"POST", "/api/auth/login", js, `{"username":"a","password":"b"}`, 401, "LOGIN_FAILED", ""},
		{"POST", "/api/auth/login", js, `{"username":"a\u0000","password":"b"}`, 401, "LOGIN_FAILED", ""},
		{"POST", "/api/auth/login", js + "; charset=utf-8", `{"username":"admin","password":"b"}`, 401, "LOGIN_FAILED",
			""},
		{"POST", "/api/auth/login", js, `{"username":"a","password":"` + strings.Repeat("x", 5000) + `"}`, 401,
			"LOGIN_FAILED", ""},
		{"POST", "/api/auth/login", js, `{"username":"` + strings.Repeat("x", 2<<20) + `"}`, 413, "TOO_LARGE", ""},
		{"GET", "/api/auth/login", "", "", 405, "METHOD_NOT_ALLOWED", ""},
		{"DELETE", "/api/auth/me", "", "", 405, "METHOD_NOT_ALLOWED", ""},
		// the other routes of /api
		{"POST", "/api/auth/refresh", js, `{}`, 400, "INVALID_REQUEST", "token"},
		{"POST", "/api/auth/refresh", js, `{"token":"x.y.z"}`, 401, "UNAUTHENTICATED", ""},
		{"POST", "/api/auth/invitation", js, `{"password":"y"}`, 400, "INVALID_REQUEST", "token"},
		{"POST", "/api/auth/invitation", js, `{"token":"no token","password":"y"}`, 403, "FORBIDDEN", "token"},
		{"POST", "/api/auth/register", js, `{"username":"x","password":"y"}`, 400, "INVALID_REQUEST", "displayName"},
		{"POST", "/api/auth/register", js, `{"displayName":"x","username":"x","password":"y"}`, 403,
			"REGISTRATION_DISABLED", ""},
		{"POST", "/api/auth/register", js, `{"displayName":"x","username":"x","password":"y","setupToken":5}`, 400,
			"INVALID_REQUEST", "setupToken"},
		{"POST", "/api/auth/logout", "", "", 401, "UNAUTHENTICATED", ""},
		{"GET", "/api/auth/me", "", "", 401, "UNAUTHENTICATED", ""},
		{"GET", "/api/nothing", "", "", 404, "NOT_FOUND", ""},
		{"POST", "/api/nothing", js, "{}", 404, "NOT_FOUND", ""},
		{"PUT", "/api/graphql", js, "{}", 405, "METHOD_NOT_ALLOWED", ""},
		// images
		{"GET", "/", "", "", 200, "", ""},
		{"POST", "/unsafe/a.png", js, "{}", 405, "METHOD_NOT_ALLOWED", ""},
		{"GET", "/300x200/a/b.png", "", "", 403, "SIGNATURE_MISMATCH", ""},
		{"GET", "/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/300x200/a/b.png", "", "", 403, "SIGNATURE_MISMATCH", ""},
		{"GET", "/unsafe/300x200/a/b.png", "", "", 403, "UNSAFE_DISABLED", ""},
		{"GET", "/unsafe/300x200/", "", "", 400, "INVALID", "image"},
		{"GET", "/unsafe/../a/b.png", "", "", 400, "INVALID", "image"},
		{"GET", "/unsafe/%2e%2e%2fa", "", "", 400, "INVALID", "image"},
		{"GET", "/unsafe/a%00b", "", "", 400, "INVALID", "image"},
		{"GET", "/unsafe/99999999999999x1/a", "", "", 400, "INVALID", "width"},
		{"GET", "/params/unsafe/", "", "", 400, "INVALID", "image"},
		{"GET", s.signed("none.png"), "", "", 404, "NOT_FOUND", "path"},
		{"GET", s.signed("a"), "", "", 404, "NOT_FOUND", "path"},
		{"GET", s.signed(".hidden"), "", "", 404, "NOT_FOUND", "path"},
		{"GET", s.signed("a%0Ab.png"), "", "", 400, "INVALID", "path"},
		{"GET", s.signed("filters:expire(1)/a/b.png"), "", "", 410, "EXPIRED", ""},
		{"GET", s.signed("filters:blurhash(99,1)/a/b.png"), "", "", 400, "INVALID", "blurhash.x"},
		{"GET", s.signed("color:nonsense"), "", "", 400, "INVALID", ""},
		{"GET", s.signed("https://example.com/a.png"), "", "", 400, "INVALID", "image"},
		{"HEAD", s.signed("none.png"), "", "", 404, "", ""},
		{"HEAD", s.signed("filters:format(doc)/a/b.png"), "", "", 400, "", ""},
	} {
		var headers []string
		if c.contentType != "" {
			headers = append(headers, "Content-Type", c.contentType)
		}
		a := s.do(c.method, c.path, c.body, headers...)
		field, _ := a.json("field").(string)
		what := fmt.Sprintf("%s %.60s %.40q", c.method, c.path, c.body)
		if a.status != c.status || a.code() != c.code || field != c.field {
			s.Errorf("%s: %d %s %s", what, a.status, field, a.body)
		}
		if c.code != "" && (a.json("requestId") != a.header.Get("X-Request-Id") || a.json("message") == "" ||
			a.header.Get("Cache-Control") != "no-store") {
			s.Errorf("%s: %v %s", what, a.header, a.body)
		}
	}
	badGraphQL(s, bearer)
}

func badGraphQL(s *stage, bearer string) {
	const js = "application/json"
	for body, status := range map[string]int{
		"": 400, "{": 400, "[]": 400, "null": 400, `{"query":""}`: 400, `[{"query":"{me{id}}"}]`: 400,
		`{"query":"{me{id}}"} x`:      400,
		`{"query":"{ me { nope } }"}`: 200, `{"query":"{ me "}`: 200, `{"query":"subscription { x }"}`: 200,
		`{"query":"query A { me { id } } query B { me { id } }"}`: 200,
		`{"query":"{ me { id } }", "operationName":"X"}`:          200, `{"query":"{ user(id: 5) { id } }"}`: 200,
		`{"query":"{ files(first: 99999999999) { totalCount } }"}`: 200,
		`{"query":"{ files(first: -1) { totalCount } }"}`:          200, `{"query":"` + strings.Repeat("# ", 600_000) +
			`"}`: 413,
		`{"query":"{ ` + strings.Repeat("me { id } ", 10) + `}"}`: 200, `{"query":"{ ` + aliases(60) + `}"}`: 200,
		`{"query":"{ ` + strings.Repeat("x ", 20_000) + `}"}`: 200,
		`{"query":"` + bomb(40) + `"}`:                        200,
		`{"query":"mutation ($f: Upload!) { addFile(input: {path: \"x\", content: $f}) { file { path } } }","variables":{"f":"` + "hunter2" + `"}}`: 200,
	} {
		a := s.do("POST", "/api/graphql", body, "Content-Type", js, "Authorization", bearer)
		if a.status != status || a.code() == "INTERNAL" || (a.code() == "") != strings.Contains(body, "me { id } me") {
			s.Errorf("%.60q: %d %.300s", body, a.status, a.body)
		}
	}
	for body, want := range map[string]string{
		`{"query":"query A { me { id } } query B { me { id } }"}`: "has 2 operations, expected operationName to name one",
		`{"query":"{ me { id } }", "operationName":"X"}`:          "no operation named",
	} {
		for range 2 { // the second time, the document is in the cache
			a := s.do("POST", "/api/graphql", body, "Content-Type", js, "Authorization", bearer)
			if a.code() != "GRAPHQL_VALIDATION_FAILED" || !strings.Contains(a.body, want) ||
				!strings.Contains(a.body, `"field":"operationName"`) {
				s.Errorf("%s: %s", body, a.body)
			}
		}
	}
	for name, form := range map[string]string{
		"no parts": "--b--\r\n", "no operations": part("map", "{}"), "no map": part("operations",
			`{"query":"{me{id}}"}`),
		"bad map": part("operations", `{"query":"{me{id}}"}`) + part("map", "[]"),
		"no file": part("operations",
			`{"query":"mutation($f:Upload!){addFile(input:{path:\"x\",content:$f}){file{path}}}","variables":{"f":null}}`) + part("map", `{"0":["variables.f"]}`),
		"wrong path": part("operations", `{"query":"{me{id}}"}`) + part("map", `{"0":["query"]}`) +
			part("0", "x"),
		"not a form": "hello",
		"many files": part("operations", `{"query":"{me{id}}"}`) +
			part("map", "{"+strings.TrimSuffix(manyFiles(30), ",")+"}"),
		"an index beyond a list": part("operations", `{"query":"{me{id}}","variables":{"f":[null,null]}}`) +
			part("map", `{"0":["variables.f.2"]}`) + part("0", "x"),
		"a negative index": part("operations", `{"query":"{me{id}}","variables":{"f":[null,null]}}`) +
			part("map", `{"0":["variables.f.-1"]}`) + part("0", "x"),
		"an index of no list": part("operations", `{"query":"{me{id}}","variables":{"0":null}}`) +
			part("map", `{"0":["variables.0"]}`) + part("0", "x"),
		"other files": part("operations", `{"query":"{me{id}}"}`) + part("map", `{"0":["variables.f"]}`) +
			part("1", "x"),
	} {
		a := s.do("POST", "/api/graphql", form+"--b--\r\n", "Content-Type", "multipart/form-data; boundary=b",
			"Authorization", bearer)
		if a.status != 400 || a.code() != "INVALID_REQUEST" {
			s.Errorf("a form with %s: %d %s", name, a.status, a.body)
		}
	}
	if a := s.upload("user", matrix["Mutation.addFile"].query, "f", png+strings.Repeat("x",
		3<<20)); !strings.Contains(a.body, `"code":"TOO_LARGE"`) {
		s.Errorf("a file that is too large: %d %s", a.status, a.body)
	}
	if a := s.upload("user", matrix["Mutation.addFile"].query, "f", png+strings.Repeat("x", 9<<20)); a.status != 413 ||
		a.code() != "TOO_LARGE" {
		s.Errorf("a form that is too large: %d %s", a.status, a.body)
	}
	if a := s.upload("user", matrix["Mutation.addFile"].query, "f", png+strings.Repeat("x", 3<<19)); a.json("data",
		"addFile", "file", "path") != "x/z.png" {
		s.Errorf("a file that lies on disk on its way: %d %s", a.status, a.body)
	}
}

func aliases(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d: me { id } ", i)
	}
	return b.String()
}

// bomb is a chain of fragments that each spread the next one twice.
func bomb(n int) string {
	var b strings.Builder
	b.WriteString("query { me { ...f0 } } ")
	for i := range n {
		fmt.Fprintf(&b, "fragment f%d on User { ...f%d ...f%d } ", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "fragment f%d on User { id }", n)
	return b.String()
}

func part(name, content string) string {
	return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + content + "\r\n"
}

func manyFiles(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":["variables.f"],`, i)
	}
	return b.String()
}

// TestBrokenRequests writes bytes that are not HTTP; the next client must not notice.
func TestBrokenRequests(t *testing.T) {
	s := newStage(t, nil)
	for _, text := range []string{
		"", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /unsafe/a HTTP/1.1\r\n\r\n",
		"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
		"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
		"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: " +
			"chunked\r\n\r\nzz\r\n",
		"GET /" + strings.Repeat("a", 100_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n" +
			strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 100) + "\r\n",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		s.must(err)
		_, _ = c.Write([]byte(text))      // it may be cut off
		_ = c.(*net.TCPConn).CloseWrite() // the server waits for nothing more
		b, _ := io.ReadAll(c)             // nor does it hang; it may reset the connection
		if head := fmt.Sprintf("%.64s", b); strings.Contains(head, " 500 ") ||
			strings.HasPrefix(head, "HTTP/1.1 200") && !strings.HasPrefix(text, "GET / HTTP/9") {
			s.Errorf("%.60q: %q", text, head)
		}
		c.Close()
	}
	if a := s.do("GET", "/healthz", ""); a.status != 200 {
		s.Errorf("afterwards: %d", a.status)
	}
}

// TestNoSecretsInLogs sends passwords and tokens in every wrong way and searches the log for them.
func TestNoSecretsInLogs(t *testing.T) {
	s := newStage(t, nil)
	const secret = "hunter2-hunter2"
	var answers strings.Builder
	for _, body := range []string{`{"username":"a","password":"` + secret + `"}`, `{"username":"a","password":"` +
		secret, secret, `{"password":"` + secret + `"}`,
		`{"query":"mutation { createUser(input: {password: \"` + secret + `\"`, `{"query":"{ me }","variables":"` +
			secret + `"}`} {
		for _, path := range []string{"/api/auth/login", "/api/graphql", "/api/auth/refresh",
			"/api/auth/register?token=" + secret, "/unsafe/x?" + secret} {
			a := s.do("POST", path, body, "Content-Type", "application/json", "Authorization",
				"Bearer "+s.tokens["user"])
			if !strings.HasPrefix(path, "/api/graphql") || !strings.Contains(body, "mutation") {
				answers.WriteString(a.body)
			}
		}
	}
	if strings.Contains(s.log.String(), secret) || strings.Contains(answers.String(), secret) {
		t.Error("a secret that was sent stands in a log or an answer")
	}
	if strings.Contains(s.log.String(), s.tokens["user"]) {
		t.Error("a token stands in the log")
	}
}

// TestAlternatingGETs alternates unescaped queries of one length, which once mixed up responses.
func TestAlternatingGETs(t *testing.T) {
	s := newStage(t, nil)
	conn := func() net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		s.must(err)
		return c
	}
	c := conn()
	defer c.Close()
	for i := range 400 {
		name := []string{"username", "isActive"}[i%2]
		if i%50 == 49 { // another connection in between reuses the buffers
			o := conn()
			fmt.Fprintf(o, "GET /api/graphql?query={me{createdAt}} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+
				"%s\r\n\r\n", s.tokens["user"])
			_, _ = o.Read(make([]byte, 4096))
			o.Close()
		}
		fmt.Fprintf(c, "GET /api/graphql?query={me{%s}} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", name,
			s.tokens["admin"])
		b := make([]byte, 4096)
		n, err := c.Read(b)
		s.must(err)
		if got := string(b[:n]); !strings.Contains(got, `{"data":{"me":{"`+name+`":`) {
			t.Fatalf("request %d for %s got %s", i, name, got)
		}
	}
}
