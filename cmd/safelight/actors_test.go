package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// actor returns the command that sends a request as that actor.
func actor(name string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if len(args) < 2 || len(args) > 3 {
			ts.Fatalf("usage: %s METHOD PATH [JSON or @FILE]", name)
		}
		at := ts.Value(stageKey{}).(*stage)
		var body []byte
		if len(args) == 3 {
			body = []byte(args[2])
			if file, isFile := strings.CutPrefix(args[2], "@"); isFile {
				body = []byte(ts.ReadFile(file))
			}
		}
		response := at.send(ts, name, token(ts, at, name), args[0], args[1], body)
		if neg == (response.StatusCode < 400) {
			ts.Logf("%s", dump(response))
			ts.Fatalf("%s %s %s: %s", name, args[0], args[1], response.Status)
		}
		fmt.Fprintln(ts.Stdout(), dump(response))
	}
}

// token returns the actor's, who logs in when that needs no words of the script.
func token(ts *testscript.TestScript, at *stage, name string) string {
	if at.tokens[name] != "" || name == "anon" || name == "ann" || name == "ben" {
		return at.tokens[name]
	}
	switch name {
	case "guest":
		at.tokens[name] = at.session(ts, "/api/auth/guest", nil)
	case "admin":
		at.tokens[name] = at.session(
			ts, "/api/auth/login", map[string]string{"username": "admin", "password": ts.Getenv("PASSWORD")},
		)
	default:
		ts.Fatalf("%s has not logged in: login %s NAME PASSWORD", name, name)
	}
	return at.tokens[name]
}

func loginScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: login ACTOR NAME PASSWORD")
	}
	at := ts.Value(stageKey{}).(*stage)
	at.tokens[args[0]] = at.session(ts, "/api/auth/login", map[string]string{"username": args[1], "password": args[2]})
}

var apiToken = regexp.MustCompile(`slt_[A-Za-z0-9_-]{43}`)

// cookieScript gives an actor a cookie, or takes theirs away.
func cookieScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 3 {
		ts.Fatalf("usage: cookie ACTOR [NAME VALUE]")
	}
	at := ts.Value(stageKey{}).(*stage)
	at.cookies[args[0]] = map[string]*http.Cookie{}
	if len(args) == 3 {
		at.cookies[args[0]][args[1]] = &http.Cookie{Name: args[1], Value: args[2]}
	}
}

// bearerScript makes the API token in the last answer the actor's.
func bearerScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: bearer ACTOR")
	}
	secret := apiToken.FindString(ts.ReadFile("stdout"))
	if secret == "" {
		ts.Fatalf("the last answer holds no API token")
	}
	ts.Value(stageKey{}).(*stage).tokens[args[0]] = secret
}

// session posts to a route that answers with a token.
func (at *stage) session(ts *testscript.TestScript, path string, body any) string {
	content, err := json.Marshal(body)
	ts.Check(err)
	response := at.send(ts, "", "", http.MethodPost, path, content)
	var answer struct{ Token string }
	text, _ := io.ReadAll(response.Body)
	if err := json.Unmarshal(text, &answer); err != nil || answer.Token == "" {
		ts.Fatalf("POST %s: %s %s", path, response.Status, text)
	}
	return answer.Token
}

// send sends one request to the running server; a redirect is an answer like any other.
func (at *stage) send(ts *testscript.TestScript, actor, token, method, path string, body []byte) *http.Response {
	request, err := http.NewRequest(method, at.url+path, bytes.NewReader(body))
	ts.Check(err)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for _, c := range at.cookies[actor] {
		request.AddCookie(c)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	ts.Check(err)
	content, err := io.ReadAll(response.Body)
	ts.Check(err)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(content))
	if actor == "ann" || actor == "ben" { // each has a browser, which sends its cookies to every path
		if at.cookies[actor] == nil {
			at.cookies[actor] = map[string]*http.Cookie{}
		}
		for _, c := range response.Cookies() {
			at.cookies[actor][c.Name] = c
		}
	}
	return response
}

// dump writes an answer as text; of a body that is not text, only the length.
func dump(r *http.Response) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Status)
	names := make([]string, 0, len(r.Header))
	for name := range r.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(r.Header[name], ", "))
	}
	body, _ := io.ReadAll(r.Body)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if strings.HasPrefix(kind, "image/") && kind != "image/svg+xml" {
		fmt.Fprintf(&b, "\n(%d bytes)", len(body))
	} else {
		fmt.Fprintf(&b, "\n%s", body)
	}
	return b.String()
}

// waitReady asks /readyz until it answers 200.
func waitReady(ts *testscript.TestScript, at *stage) {
	for {
		response, err := http.Get(at.url + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-at.server.done:
			ts.Fatalf("the server ended: %v\n%s", at.server.err, at.server.stderr.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// scriptEnv returns the script's environment for a process that the script does not start by exec.
func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, key := range append([]string{"PATH", "HOME", "TMPDIR", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
		settingsEnv()...) {
		if value := ts.Getenv(key); value != "" {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// settingsEnv returns the variables of every setting.
func settingsEnv() []string {
	names := []string{envPrefix + "CONFIG", "DATABASE_URL"}
	for _, row := range settingsTable {
		names = append(names, row.Env())
	}
	return names
}

// lookPath finds a program in a PATH that is not this process's own.
func lookPath(path, name string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if file, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return file, nil
		}
	}
	return "", exec.ErrNotFound
}
