package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// abused is a server that somebody abuses.
type abused struct {
	*realServer
	admin, user string        // tokens
	login1      time.Duration // CPU of one login, by which costs are judged
}

// TestAbuse does to the program in a process what once cost it seconds of CPU, its connections or its disk. With -short
// it leaves out the 40 names: TestSpraying of package accounts tries the same.
func TestAbuse(t *testing.T) {
	t.Setenv(hashVariable, "1") // costs are compared with that of a login
	s := &abused{realServer: startReal(t)}
	s.admin = s.login()
	const logins = 10
	began := s.cpu()
	for range logins {
		s.login()
	}
	s.login1 = (s.cpu() - began) / logins
	s.user = s.account("ada")
	for _, c := range []struct {
		name string
		test func(*abused)
	}{
		{"2,100 repeated fields", (*abused).repeatedFields}, {"100,000 filters", (*abused).filters},
		{"two lengths", (*abused).twoLengths},
		{"unknown methods", (*abused).methods}, {"a Cyrillic admin", (*abused).lookalike},
		{"emptyTrash", (*abused).emptyTrash},
		{"300 uploads", (*abused).uploads}, {"logins at once", (*abused).logins}, {"40 names", (*abused).spraying},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "40 names" && testing.Short() {
				t.Skip("100 passwords are checked, each in 64 MiB")
			}
			at := *s.realServer
			at.T = t
			c.test(&abused{realServer: &at, admin: s.admin, user: s.user, login1: s.login1})
		})
	}
	if r := s.get("/readyz"); r.status != 200 {
		t.Errorf("/readyz: %d %s", r.status, r.body)
	}
}

// account creates an account and returns its token.
func (s *abused) account(name string) string {
	s.Helper()
	if r := s.createUser(name); strings.Contains(string(r.body), `"code":`) {
		s.Fatalf("%s", r.body)
	}
	r := s.post("/api/auth/login", fmt.Sprintf(`{"username":%q,"password":%q}`, name, realPassword), "")
	var session struct{ Token string }
	if err := json.Unmarshal(r.body, &session); err != nil || session.Token == "" {
		s.Fatalf("login of %s: %d %s", name, r.status, r.body)
	}
	return session.Token
}

func (s *abused) createUser(name string) reply {
	return s.mutate(
		s.admin,
		fmt.Sprintf(
			`mutation { createUser(input: {displayName: \"x\", username: \"%s\", password: \"%s\"}) { id } }`,
			name, realPassword,
		),
	)
}

// refusedCheaply sends a document ten times: each is refused and costs less CPU than a login.
func (s *abused) refusedCheaply(body string) {
	s.Helper()
	const rounds = 10
	began := s.cpu()
	for range rounds {
		if r := s.post("/api/graphql", body, s.user); !strings.Contains(string(r.body), `"INVALID"`) {
			s.Fatalf("%d %.300s, expected INVALID", r.status, r.body)
		}
	}
	if cost := (s.cpu() - began) / rounds; cost > s.login1 {
		s.Errorf("%v of CPU, expected less than the %v of a login", cost, s.login1)
	}
}

func (s *abused) repeatedFields() {
	s.refusedCheaply(`{"query":"{ ` + strings.Repeat("processorStatus { configured } ", 2100) + `}"}`)
}

func (s *abused) filters() {
	s.refusedCheaply(
		`{"query":"query ($u: String!) { parseProcessorUrl(url: $u) { image } }","variables":{"u":"/unsafe/filters:` +
			strings.Repeat("blur(1):", 100_000) + `blur(1)/a.png"}}`,
	)
}

// twoLengths sends Content-Length with Transfer-Encoding and a hidden second request: one answer, then the end.
func (s *abused) twoLengths() {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, _ = io.WriteString(
		conn,
		"POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "+
			"4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
	)
	in := bufio.NewReader(conn)
	r, err := http.ReadResponse(in, nil)
	if err != nil {
		s.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 400 || !r.Close {
		s.Errorf("%d %v, closed %v, expected 400 and the end of the connection", r.StatusCode, err, r.Close)
	}
	s.documented(reply{status: r.StatusCode, header: r.Header, body: body}, "INVALID_REQUEST")
	if rest, _ := io.ReadAll(in); len(rest) > 0 {
		s.Errorf("a second answer: %.200s", rest)
	}
}

// documented checks that a refusal has the documented shape and a request id.
func (s *abused) documented(r reply, code string) {
	s.Helper()
	var f struct{ Error, Message, RequestID string }
	err := json.Unmarshal(r.body, &f)
	if err != nil || f.Error != code || f.Message == "" || f.RequestID == "" ||
		r.header.Get("X-Request-Id") != f.RequestID {
		s.Errorf("%d %v %s, expected %s in the documented shape", r.status, r.header, r.body, code)
	}
}

func (s *abused) methods() {
	for _, method := range []string{"BREW", "TRACE", "PROPFIND", "get"} {
		for _, path := range []string{"/healthz", "/api/graphql", "/unsafe/a.png"} {
			r := s.do(http.NewRequest(method, s.url+path, nil))
			if r.status != 405 || r.header.Get("Allow") == "" {
				s.Errorf("%s %s: %d %v %v", method, path, r.status, r.header, r.err)
			}
			s.documented(r, "METHOD_NOT_ALLOWED")
		}
	}
}

func (s *abused) lookalike() {
	if r := s.createUser("\u0430dmin"); !strings.Contains(string(r.body), `"code":"INVALID"`) {
		s.Errorf("%s, expected INVALID", r.body)
	}
}

// emptyTrash lets a user empty the trash: the admin's item stays.
func (s *abused) emptyTrash() {
	for _, c := range [][3]string{
		{
			s.admin,
			`mutation { deleteFiles(input: {paths: [\"samples/welcome.jpg\"]}) { results { ok error { code message field } } userErrors { code message field } } }`, `"ok":true`},
		{s.user, `mutation { emptyTrash { purgedCount } }`, `"purgedCount":0`},
		{s.admin, `mutation { emptyTrash { purgedCount } }`, `"purgedCount":1`},
	} {
		if r := s.mutate(c[0], c[1]); !strings.Contains(string(r.body), c[2]) {
			s.Errorf("%s: %s, expected %s", c[1], r.body, c[2])
		}
	}
}

// uploads opens 300 uploads of 100 MB as one user, and one as another.
func (s *abused) uploads() {
	opened, refused := 0, 0
	for i := range 300 {
		r := s.mutate(
			s.user,
			fmt.Sprintf(
				`mutation { createUpload(input: {path: \"%d.jpg\", sizeBytes: 100000000}) { upload { id } userErrors { code } } }`,
				i,
			),
		)
		switch {
		case strings.Contains(string(r.body), `"RATE_LIMITED"`):
			refused++
		case strings.Contains(string(r.body), `"userErrors":[]`):
			opened++
		default:
			s.Fatalf("%d %s", r.status, r.body)
		}
	}
	if opened != 100 || refused != 200 {
		s.Errorf("%d uploads opened, %d refused, expected 100 and 200", opened, refused)
	}
	if r := s.mutate(
		s.admin,
		`mutation { createUpload(input: {path: \"own.jpg\", sizeBytes: 100000000}) { upload { id } } }`); !strings.Contains(
		string(r.body),
		`"id"`,
	) {
		s.Errorf("another account: %s", r.body)
	}
}

// logins logs in 100 times at once, or 40 times with -short: each is answered, at the CPU of as many logins one after
// the other, and pictures are served meanwhile. On a machine that is busy with other things, a login may wait longer
// than a request may take.
func (s *abused) logins() {
	began := s.cpu()
	n := 100
	if testing.Short() {
		n = 40
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			r := s.post("/api/auth/login", fmt.Sprintf(`{"username":"admin","password":%q}`, realPassword), "")
			switch {
			case r.status == 200 || (r.status == 503 || r.status == 429) && r.header.Get("Retry-After") != "":
			case r.status == 504:
				s.documented(r, "TIMEOUT")
			default:
				s.Errorf("login: %d %v %.200s", r.status, r.err, r.body)
			}
		})
	}
	if r := s.get("/healthz"); r.status != 200 {
		s.Errorf("/healthz during the logins: %d %v", r.status, r.err)
	}
	wg.Wait()
	if cost, all := s.cpu()-began, time.Duration(n)*s.login1; cost > 2*all {
		s.Errorf("%v of CPU, expected about that of %d logins, %v", cost, n, all)
	}
}

// spraying tries 40 names, each with three passwords: more than an address may fail in a minute. A machine that is too
// busy for 100 logins a minute meets no limit, so it is the failures within a shorter time that decide.
func (s *abused) spraying() {
	const perMinute = 100
	var failed []time.Time
	for i := range 120 {
		r := s.post("/api/auth/login", fmt.Sprintf(`{"username":"name %d","password":"Password1234"}`, i%40), "")
		switch {
		case r.status == 429 && r.header.Get("Retry-After") != "":
			continue
		case r.status != 401:
			s.Fatalf("attempt %d: %d %s", i, r.status, r.body)
		}
		failed = append(failed, time.Now())
		if n := len(failed); n > perMinute {
			if took := failed[n-1].Sub(failed[n-1-perMinute]); took < 50*time.Second {
				s.Fatalf("%d logins failed within %v, and none was limited", perMinute+1, took)
			}
		}
	}
	s.Logf("%d of 120 logins failed, the rest were limited", len(failed))
}
