package main

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestTwoServers follows a folder through one server, while another one on the same database and bucket changes it.
func TestTwoServers(t *testing.T) {
	if os.Getenv(testPostgres) == "" || os.Getenv(testS3) == "" {
		t.Skip(testPostgres + " or " + testS3 + " names no server: make test starts both and sets them")
	}
	bucket, query, _ := strings.Cut(os.Getenv(testS3), "?")
	flags := []string{"--database", emptyPostgres(t), "--storage", bucket + "/two-" + rand.Text() + "?" + query}
	one, two := startReal(t, flags...), startReal(t, append(flags, "--allow-new-database")...)
	login := func(s *realServer) string {
		var session struct{ Token string }
		r := s.post("/api/auth/login", `{"username":"admin","password":"`+realPassword+`"}`, "")
		if json.Unmarshal(r.body, &session) != nil || session.Token == "" {
			t.Fatalf("login: %d %s", r.status, r.body)
		}
		return session.Token
	}
	token := login(one)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, two.url+"/api/graphql", strings.NewReader(`{"query":"subscription { folderChanges(recursive: true) { kind path } }"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + login(two)}, "Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	answer, err := two.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	events := bufio.NewScanner(answer.Body)
	for _, path := range []string{"x", "x/y"} {
		for events.Scan() && !strings.Contains(events.Text(), `"kind":`) { // RELOAD, then the change before
		}
		if r := one.post("/api/graphql", `{"query":"mutation { createFolder(path: \"`+path+`\") }"}`, token); !strings.Contains(string(r.body), `"createFolder":true`) {
			t.Fatalf("%s", r.body)
		}
	}
	for events.Scan() {
		if strings.Contains(events.Text(), `"kind":"CHANGED","path":"x/y"`) {
			return
		}
	}
	t.Errorf("the stream ends: %v", events.Err())
}
